package import Duet

extension Dispatcher {
    /// Returns the cache of a query among the layers of this dispatcher, with the layers behind it.
    ///
    /// - Throws: ``UncachedQuery`` if there is none; the error of a layer that could not be created.
    package func cache<Q: Query & Hashable>(of query: Q.Type) async throws -> CachingDispatcher {
        // Layers know each other only by the updates that they report.
        var found = (self as? any LiveDispatcher)?.updates(of: FindCache<Q>())?.makeAsyncIterator()
        switch await found?.next() {
        case .value(let dispatcher): return dispatcher
        case .failure(let error): throw error
        case .unchanged, nil: throw UncachedQuery(query: Q.messageName, type: "\(Q.self)")
        }
    }
}

/// Finds the cache of a query `Q`, which reports itself as the only update.
struct FindCache<Q: Query>: Query {
    typealias Value = CachingDispatcher
}

/// A query that finds a cache.
protocol CacheFinding {
    func isCached(in cache: QueryCache) -> Bool
}

extension FindCache: CacheFinding {
    func isCached(in cache: QueryCache) -> Bool { cache.isLive(Q.self) }
}

extension CachingDispatcher {
    /// This dispatcher as the only update of a ``FindCache`` query.
    func updates() -> QueryUpdates<CachingDispatcher> {
        QueryUpdates {
            var dispatcher: CachingDispatcher? = self
            return {
                defer { dispatcher = nil }
                return dispatcher.map { .value($0) }
            }
        }
    }
}
