import Duet

/// A middleware that does nothing, so that what is measured is the layer itself.
struct PassThrough: Middleware {
    /// Hands the command on.
    func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await next.dispatch(command)
    }

    /// Hands the query on.
    func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await next.dispatch(query)
    }
}
