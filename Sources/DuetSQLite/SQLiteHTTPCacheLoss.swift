/// What a cache in an SQLite database lost, and goes on without.
///
/// None of these holds a URI or a field: they can be logged.
@nonexhaustive
public enum SQLiteHTTPCacheLoss: Sendable, Hashable {
    /// A response could not be read, and was removed.
    case response(id: Int64, reason: String)

    /// The database could not be read; it was put aside there, in place of one that was put aside before.
    case database(setAsideAt: String, reason: String)

    /// The database had an older format, and was emptied.
    case olderFormat(Int)

    /// The file was removed or replaced by others while it was in use.
    case file(path: String)
}

extension SQLiteHTTPCacheLoss: CustomStringConvertible {
    /// What was lost, and where it can be looked at.
    public var description: String {
        switch self {
        case .response(let id, let reason):
            "Response \(id) of the HTTP cache was damaged and is removed: \(reason)."
        case .database(let path, let reason):
            "The HTTP cache was damaged and begins anew: \(reason). What was there is in \(path)."
        case .olderFormat(let version):
            "The HTTP cache had the older format \(version) and begins anew."
        case .file(let path):
            "The HTTP cache's file \(path) was removed or replaced while it was in use; the cache begins anew."
        }
    }
}
