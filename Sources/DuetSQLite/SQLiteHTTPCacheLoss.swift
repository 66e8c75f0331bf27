/// A loss that a cache in an SQLite database continues without.
///
/// None of these contains a URI or a field, so they can be logged.
@nonexhaustive
public enum SQLiteHTTPCacheLoss: Sendable, Hashable {
    /// A response was damaged and is removed.
    case response(id: Int64, reason: String)

    /// The database was damaged; it was renamed, in place of one that was set aside before.
    case database(setAsideAt: String, reason: String)

    /// The database had an older format, and was emptied.
    case olderFormat(Int)

    /// The file cannot be used, and the store works without it until it is made again or everything is removed.
    case unavailable(reason: String)
}

extension SQLiteHTTPCacheLoss: CustomStringConvertible {
    /// What was lost, and what to do about it.
    public var description: String {
        switch self {
        case .response(let id, let reason):
            "Response \(id) of the HTTP cache was damaged and is removed: \(reason)."
        case .database(let path, let reason):
            "The HTTP cache was damaged and starts over: \(reason). The damaged file is \(path)."
        case .olderFormat(let version):
            "The HTTP cache had the older format \(version) and starts over."
        case .unavailable(let reason):
            "The HTTP cache is not used, and requests go to the origin. \(reason)"
        }
    }
}
