/// Wraps dispatch with one concern: logging, retry, validation, authorisation, a timeout.
///
/// What comes next is handed over as a dispatcher: not calling it stops the message, calling it with another value
/// changes the message, calling it again repeats it. A middleware that is about one kind of message implements that
/// half; the other kind passes through.
public protocol Middleware: Sendable {
    /// Wraps the dispatch of a command.
    ///
    /// - Throws: What `next` throws, or the middleware's own reason to stop the command.
    func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws

    /// Wraps the dispatch of a query.
    ///
    /// - Throws: What `next` throws, or the middleware's own reason to stop the query.
    func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value
}

extension Middleware {
    /// Lets the command pass, for a middleware that is about queries.
    ///
    /// - Throws: What `next` throws.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await next.dispatch(command)
    }

    /// Lets the query pass, for a middleware that is about commands.
    ///
    /// - Throws: What `next` throws.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await next.dispatch(query)
    }
}
