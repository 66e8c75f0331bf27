/// How one read of a query treats the caches among the layers of a dispatcher.
public struct ReadMode: Hashable, Sendable {
    package enum Kind: Sendable { case cacheFirst, fresh, freshOrStale, cacheOnly }

    package let kind: Kind

    package var includesUnconfirmed = false

    /// Returns a usable value from a cache, or loads one, as the query's policy says.
    ///
    /// `dispatch` reads in this mode.
    public static let cacheFirst = ReadMode(kind: .cacheFirst)

    /// Loads a value even if a fresh one is cached, or waits for a load that is running.
    public static let fresh = ReadMode(kind: .fresh)

    /// Loads a value, or if that fails, returns the value in memory or in the store, however old it is.
    public static let freshOrStale = ReadMode(kind: .freshOrStale)

    /// Returns the value in memory or in the store, however old it is, and never loads.
    ///
    /// Throws ``NotCached`` if there is none.
    public static let cacheOnly = ReadMode(kind: .cacheOnly)

    /// Returns this mode for a value with the changes of commands that have not ended, or that no load has confirmed
    /// yet, as observers see it.
    public func includingUnconfirmed() -> ReadMode {
        var mode = self
        mode.includesUnconfirmed = true
        return mode
    }
}

/// The error of a read with ``ReadMode/cacheOnly`` that found no value.
public struct NotCached: Error, Hashable, CustomStringConvertible {
    package let query: String

    package init(query: String) {
        self.query = query
    }

    /// The reason and its remedy.
    public var description: String {
        "No value of \(query) is cached. Read it with .cacheFirst to load one."
    }
}
