/// A loss of stored data, after which a store in an SQLite file continues.
///
/// A loss contains no scope and no property of a query, so it can be logged.
@nonexhaustive
public enum SQLiteStoreLoss: Sendable, Hashable, CustomStringConvertible {
    /// A value of a query was damaged and is removed.
    case value(query: String, reason: String)

    /// The file of a cache was damaged and renamed, in place of one that was renamed before.
    case database(renamedTo: String, reason: String)

    /// The file of queued commands was damaged and renamed, in place of one that was renamed before.
    case commands(renamedTo: String, reason: String)

    /// The database had an older format, and was emptied.
    case olderFormat(Int)

    /// The loss, and its consequence.
    public var description: String {
        switch self {
        case .value(let query, let reason):
            "A value of \(query) was damaged and is removed: \(reason)."
        case .database(let path, let reason):
            "A cache was damaged and starts over: \(reason). Its file is kept as \(path)."
        case .commands(let path, let reason):
            "Queued commands are lost and will not be sent, because their file was damaged: \(reason). It is kept as \(path)."
        case .olderFormat(let version):
            "The file had the older format \(version) and starts over."
        }
    }
}
