public import Duet

/// A middleware that does nothing, so that what is measured is the layer itself.
public struct PassThrough: Middleware {
    /// Makes the layer, which has nothing to set.
    public init() {}

    /// Hands the command on.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await next.dispatch(command)
    }

    /// Hands the query on.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await next.dispatch(query)
    }
}
