import FeedCache
import GRDB

/// Says in the application's words what SQLite reports.
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
        // An error in a statement that is right means that the tables are not what they should be.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA:
            .unreadable(path: path, reason: error.message ?? "\(error)")
        default:
            .failed(path: path, underlying: error)
        }
    }
}
