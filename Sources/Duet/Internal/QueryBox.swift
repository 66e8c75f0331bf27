/// A query's handler as an object, so that a look-up hands out one reference and copies no handler.
final class QueryBox<Q: Query>: Sendable {
    let handler: any QueryHandler<Q> & Sendable

    init(_ handler: any QueryHandler<Q> & Sendable) {
        self.handler = handler
    }
}
