import DuetSQLite

extension SQLiteHTTPCacheError {
    /// The path that was refused, with the reason.
    var refusal: (path: String, reason: String)? {
        if case .otherContent(let path, let reason) = self { (path, reason) } else { nil }
    }
}
