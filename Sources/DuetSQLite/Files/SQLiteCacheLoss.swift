/// A loss of stored data, after which a cache in an SQLite file continues.
///
/// A loss contains no URI, field, scope, or property of a query, so it can be logged.
@nonexhaustive
public enum SQLiteCacheLoss: Sendable, Hashable {
    /// A response was damaged and is removed.
    case response(id: Int64, reason: String)

    /// A value of a query was damaged and is removed.
    case value(query: String, reason: String)

    /// The database was damaged and renamed, in place of one that was renamed before.
    case database(setAsideAt: String, reason: String)

    /// The database had an older format, and was emptied.
    case olderFormat(Int)

    /// The file cannot be used; the store works without it until it is created again or everything is removed.
    case unavailable(reason: String)
}

/// A loss of ``SQLiteHTTPCacheStore``.
public typealias SQLiteHTTPCacheLoss = SQLiteCacheLoss

extension SQLiteCacheLoss: CustomStringConvertible {
    /// The loss, and its consequence.
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
            "The cache file cannot be used. \(reason)"
        }
    }
}
