/// A message that can validate itself.
///
/// ```swift
/// struct AddNote: Command, Validatable {
///     let text: String
///
///     func validate() throws {
///         if text.isEmpty { throw EmptyNote() }
///     }
/// }
/// ```
public protocol Validatable {
    /// Validates the message, which is not dispatched if this method throws.
    ///
    /// - Throws: An error that describes what is wrong with the message and how to correct it.
    func validate() throws
}

/// Rejects invalid messages before any other work is done for them.
///
/// A message is validated once per process. A server's mount and a dispatcher over HTTP validate every message. A
/// dispatcher that stays within the process uses this middleware, which is skipped for messages that the mount has
/// validated.
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

extension Dispatcher {
    /// Returns this dispatcher with a layer that rejects invalid messages before any other work is done for them.
    public func validating() -> some Dispatcher { with(ValidationMiddleware()) }
}

/// A dispatcher that may contain layers that validate.
package protocol ValidatingDispatcher: Dispatcher {
    /// The same dispatcher without those layers.
    var withoutValidation: any Dispatcher { get }
}

extension Dispatcher {
    /// This dispatcher, for messages that have already been validated.
    package var withoutValidation: any Dispatcher {
        (self as? any ValidatingDispatcher)?.withoutValidation ?? self
    }
}
