import Duet

/// A middleware that does nothing, so that what is measured is the layer itself.
///
/// Inlined, or the compiler gives the methods frames of their own behind the protocol's: see ``PlainPassThrough``.
struct PassThrough: Middleware {
    @inline(__always)
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }
}
