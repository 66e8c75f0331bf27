/// A loss that a cache in an SQLite database continues without.
///
/// None of these contains a URI, a field, a scope, or the properties of a query, so they can be logged.
@nonexhaustive
public enum SQLiteCacheLoss: Sendable, Hashable {
    /// A response was damaged and is removed.
    case response(id: Int64, reason: String)

    /// A value of a query was damaged and is removed.
    case value(query: String, reason: String)

    /// The database was damaged; it was renamed, in place of one that was set aside before.
    case database(setAsideAt: String, reason: String)

    /// The database had an older format, and was emptied.
    case olderFormat(Int)

    /// The file cannot be used, and the store works without it until it is made again or everything is removed.
    case unavailable(reason: String)
}

/// A loss of ``SQLiteHTTPCacheStore``.
public typealias SQLiteHTTPCacheLoss = SQLiteCacheLoss

extension SQLiteCacheLoss: CustomStringConvertible {
    /// What was lost, and what to do about it.
    public var description: String {
        switch self {
        case .response(let id, let reason):
            "Response \(id) of the cache was damaged and is removed: \(reason)."
        case .value(let query, let reason):
            "A value of \(query) was damaged and is removed: \(reason)."
        case .database(let path, let reason):
            "The cache was damaged and starts over: \(reason). The damaged file is \(path)."
        case .olderFormat(let version):
            "The cache had the older format \(version) and starts over."
        case .unavailable(let reason):
            "The cache is not used, and nothing is found in it. \(reason)"
        }
    }
}
