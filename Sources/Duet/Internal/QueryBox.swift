/// A query's handler as an object, so that a look-up hands out one reference and copies no handler.
package final class QueryBox<Q: Query>: Sendable {
    package let handler: any QueryHandler<Q> & Sendable

    package init(_ handler: any QueryHandler<Q> & Sendable) {
        self.handler = handler
    }

    @inline(__always)
    package func handle(_ query: Q) async throws -> Q.Value {
        try await handler.handle(query)
    }
}
