import GRDB
import GRDBSQLite
import Synchronization

/// How long changes wait for others who write: not at all while the last wait was in vain.
///
/// One change waits after the other, so that ten of them would wait ten times as long.
final class Patience: Sendable {
    private let path: String
    private let wait: Duration
    private let isOver = Mutex(false)

    init(_ place: HTTPCachePlace) {
        path = place.path
        wait = place.busyWait
    }

    /// Makes a change.
    ///
    /// - Throws: ``SQLiteHTTPCacheError/locked(path:after:)``; what `body` throws.
    func use<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        let wait = isOver.withLock { $0 } ? .zero : wait
        database.waitForOthers(wait)
        do {
            let value = try body(database)
            isOver.withLock { $0 = false }
            return value
        } catch let error as DatabaseError
            where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
        {
            isOver.withLock { $0 = true }
            throw SQLiteHTTPCacheError.locked(path: path, after: wait)
        }
    }
}

extension Database {
    /// How long statements wait for others who have the database locked.
    func waitForOthers(_ wait: Duration) {
        unsafe sqlite3_busy_timeout(sqliteConnection, Int32(wait / .milliseconds(1)))
    }
}
