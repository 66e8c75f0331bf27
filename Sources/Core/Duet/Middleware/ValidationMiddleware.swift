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
    /// The result depends on the message alone, because it may be validated in several places.
    ///
    /// - Throws: An error that describes what is wrong with the message and how to correct it.
    func validate() throws
}

/// Rejects invalid messages before any other work is done for them.
///
/// A server's mount, the worker of a cluster, and a dispatcher over HTTP validate every message themselves. This
/// middleware does it for messages that stay within the process. Where both do, a message is validated twice.
public struct ValidationMiddleware: ValuePreservingMiddleware {
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
    /// Returns this dispatcher with a layer that rejects invalid messages.
    public func validating() -> some Dispatcher { with(ValidationMiddleware()) }
}
