import Duet

/// A middleware that does nothing, as one writes it without a thought of its cost.
struct PlainPassThrough: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }
}
