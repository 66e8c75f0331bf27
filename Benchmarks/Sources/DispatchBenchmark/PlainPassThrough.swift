import Duet

/// A middleware that does nothing, as one writes it without a thought of its cost.
struct PlainPassThrough: Middleware {
    func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await next.dispatch(command)
    }

    func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await next.dispatch(query)
    }
}
