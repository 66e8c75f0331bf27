import Duet

/// A middleware that does nothing, so that only the layer itself is measured.
///
/// Its method is inlined. Otherwise the compiler adds a frame behind the protocol's one: see ``PlainPassThrough``.
struct PassThrough: Middleware {
    @inline(__always)
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }
}
