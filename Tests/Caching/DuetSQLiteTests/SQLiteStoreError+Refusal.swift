import DuetSQLite

extension SQLiteStoreError {
    /// The path that was refused, with the reason.
    var refusal: (path: String, reason: String)? {
        if case .notOurs(let path, let reason) = self { (path, reason) } else { nil }
    }
}
