import Duet

/// A middleware that does nothing, so that what is measured is the layer itself.
///
/// Inlined, or the compiler gives the methods frames of their own behind the protocol's: see ``PlainPassThrough``.
struct PassThrough: Middleware {
    @inline(__always)
    func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await next.dispatch(command)
    }

    @inline(__always)
    func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await next.dispatch(query)
    }
}
