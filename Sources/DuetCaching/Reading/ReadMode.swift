/// How one read of a cached query treats the cache.
public enum ReadMode: Sendable, CaseIterable {
    /// Returns a usable value from the cache, or loads one, as the query's policy says. This is what `dispatch` does.
    case cacheFirst

    /// Loads a value and stores it, whatever the cache has; or waits for a load that is running.
    case fresh

    /// Loads a value and stores it. If that fails, returns the value in the cache, however old it is.
    case freshOrStale

    /// Returns the value in the cache, however old it is, and never loads.
    ///
    /// Throws ``NotCached`` if there is none.
    case cacheOnly
}

/// There is no cached value for a query that was read with ``ReadMode/cacheOnly``.
public struct NotCached: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    /// The reason and what to do about it.
    public var description: String {
        "No value of \(query) is cached. Read it with .cacheFirst to load one."
    }
}

/// A query without a ``Cache`` rule was observed, or read with ``ReadMode/cacheOnly``.
public struct UncachedQuery: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    let type: String

    /// The query and the rule that is missing.
    public var description: String {
        "\(query) is not cached, so it cannot be observed or read from the cache. Add Cache(\(type).self, …)."
    }
}

/// A load took longer than its policy's hard timeout.
public struct CacheTimeout: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    /// The hard timeout.
    public let timeout: Duration

    /// The query and the time that it took.
    public var description: String {
        "\(query) was not loaded within \(timeout.text). The load continues, and a later read may find its value."
    }
}
