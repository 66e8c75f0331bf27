/// A message that can check itself.
public protocol Validatable {
    /// Checks the message; it goes no further when this throws.
    ///
    /// - Throws: What is wrong with the message and what to do, in words for the caller.
    func validate() throws
}

/// Stops invalid messages before anything else happens to them.
///
/// A message is validated once in a process. A server's mount and a dispatcher over HTTP validate every message; a dispatcher
/// that stays within the process does with this middleware, which is skipped for messages that the mount has validated.
public struct ValidationMiddleware: Middleware {
    /// Creates the middleware.
    public init() {}

    /// Validates the message if it is ``Validatable``, then dispatches it.
    @inline(__always)
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try (message as? any Validatable)?.validate()
        return try await next.dispatch(message)
    }
}

extension Middleware where Self == ValidationMiddleware {
    /// Stops invalid messages.
    public static var validation: Self { ValidationMiddleware() }
}

/// A dispatcher that may have layers that validate.
package protocol ValidatingDispatcher: Dispatcher {
    /// The same dispatcher without those layers.
    var withoutValidation: any Dispatcher { get }
}

extension Dispatcher {
    /// This dispatcher for messages that have been validated already.
    package var withoutValidation: any Dispatcher {
        (self as? any ValidatingDispatcher)?.withoutValidation ?? self
    }
}
