import DuetSQLite

extension SQLiteHTTPCacheError {
    /// What was refused and why, where a file is no cache.
    var refusal: (path: String, reason: String)? {
        if case .otherContent(let path, let reason) = self { (path, reason) } else { nil }
    }
}
