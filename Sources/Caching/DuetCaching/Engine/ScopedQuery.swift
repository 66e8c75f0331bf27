import Duet

/// The key of a cached value, made of a query and the scope whose callers share the value.
struct ScopedQuery<Q: Query & Hashable>: Hashable, Sendable {
    let query: Q
    /// Nil for the scope of all callers.
    let scope: String?
}

extension ScopedQuery {
    var tableHash: Int { Self.hash(of: query, scope: scope) }

    /// Returns the hash by which shards and tables find an entry, so that a lookup hashes the query once.
    @inline(__always)
    static func hash(of query: Q, scope: String?) -> Int {
        var hasher = Hasher()
        hasher.combine(query)
        if let scope { hasher.combine(scope) }
        return hasher.finalize()
    }
}
