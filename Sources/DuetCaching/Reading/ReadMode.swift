import Duet

/// How one read of a cached query treats the cache.
public enum ReadMode: Sendable, CaseIterable {
    /// Returns a usable value from the cache, or loads one, as the query's policy says.
    ///
    /// `dispatch` reads in this mode.
    case cacheFirst

    /// Loads a value even if a fresh one is cached, or waits for a load that is running.
    case fresh

    /// Loads a value. If that fails, returns the value in memory or in the store, however old it is.
    case freshOrStale

    /// Returns the value in memory or in the store, however old it is, and never loads.
    ///
    /// Throws ``NotCached`` if there is none.
    case cacheOnly
}

/// An error for a read with ``ReadMode/cacheOnly`` that found no value.
public struct NotCached: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    /// The reason and what to do about it.
    public var description: String {
        "No value of \(query) is cached. Read it with .cacheFirst to load one."
    }
}

/// An error for a query without a ``Cache`` rule that was observed, or read with ``ReadMode/cacheOnly``.
public struct UncachedQuery: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    let type: String

    /// The query and the rule that is missing.
    public var description: String {
        "\(query) is not cached, so it cannot be observed or read from the cache. Add Cache(\(type).self, …)."
    }
}

/// An error for a load that took longer than the hard timeout of its policy.
public struct CacheTimeout: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    /// The hard timeout.
    public let timeout: Duration

    /// The query and its timeout.
    public var description: String {
        "\(query) was not loaded within \(timeout.text). The load continues, and a later read may find its value."
    }
}
