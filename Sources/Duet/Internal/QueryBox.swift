/// A query's handler as an object, so that a look-up hands out one reference and copies no handler.
final class QueryBox<Q: Query>: Sendable {
    private let handler: any QueryHandler<Q> & Sendable

    init(_ handler: any QueryHandler<Q> & Sendable) {
        self.handler = handler
    }

    @inline(__always)
    func handle(_ query: Q) async throws -> Q.Value {
        try await handler.handle(query)
    }
}
