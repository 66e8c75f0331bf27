import Duet

/// A middleware that does nothing, written without inlining.
struct PlainPassThrough: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }
}
