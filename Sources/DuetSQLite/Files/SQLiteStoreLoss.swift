/// A loss of stored data, after which a store in an SQLite file continues.
///
/// A loss contains no URI, field, scope, or property of a query, so it can be logged.
@nonexhaustive
public enum SQLiteStoreLoss: Sendable, Hashable {
    /// A response was damaged and is removed.
    case response(id: Int64, reason: String)

    /// A value of a query was damaged and is removed.
    case value(query: String, reason: String)

    /// The database was damaged and renamed, in place of one that was renamed before.
    case database(renamedTo: String, reason: String)

    /// The database had an older format, and was emptied.
    case olderFormat(Int)
}

extension SQLiteStoreLoss: CustomStringConvertible {
    /// The loss, and its consequence.
    public var description: String {
        switch self {
        case .response(let id, let reason):
            "Response \(id) of the cache was damaged and is removed: \(reason)."
        case .value(let query, let reason):
            "A value of \(query) was damaged and is removed: \(reason)."
        case .database(let path, let reason):
            "A file was damaged and starts over: \(reason). It is kept as \(path)."
        case .olderFormat(let version):
            "The cache had the older format \(version) and starts over."
        }
    }
}
