import FeedCache
import GRDB

/// Translates SQLite's errors into the store's own.
struct ErrorMapping: Sendable {
    let path: String
    let busyTimeout: Duration

    func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw mapped(error)
        }
    }

    private func mapped(_ error: DatabaseError) -> FeedStoreError {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            .locked(path: path, after: busyTimeout)
        // The statements are correct, so an SQL error means that the tables are not as expected.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA:
            .unreadable(path: path, reason: error.message ?? "\(error)")
        default:
            .failed(path: path, underlying: error)
        }
    }
}
