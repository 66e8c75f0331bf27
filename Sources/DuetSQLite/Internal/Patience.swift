import GRDB
import GRDBSQLite
import Synchronization

/// How long those who want the same wait for others who have it: not at all while the last wait was in vain.
///
/// One waits after the other, so that ten of them would wait ten times as long.
final class Patience: Sendable {
    private let path: String
    private let wait: Duration
    private let isOver = Atomic(false)

    /// - Parameter longest: How long it waits at most; as long as the place says unless that is less.
    init(_ place: HTTPCachePlace, longest: Duration? = nil) {
        path = place.path
        wait = min(place.busyWait, longest ?? place.busyWait)
    }

    /// Does something that waits as long as it is told to.
    ///
    /// - Throws: ``SQLiteHTTPCacheError/locked(path:after:)``; what `body` throws.
    func use<Value>(_ body: (_ wait: Duration) throws -> Value) throws -> Value {
        let wait = isOver.load(ordering: .relaxed) ? .zero : wait
        do {
            let value = try body(wait)
            restore()
            return value
        } catch {
            guard error.isOfLock else { throw error }
            isOver.store(true, ordering: .relaxed)
            throw SQLiteHTTPCacheError.locked(path: path, after: wait)
        }
    }

    /// Has the next one wait again, because it goes.
    func restore() {
        // Mostly it was never over, and many ask at once.
        if isOver.load(ordering: .relaxed) { isOver.store(false, ordering: .relaxed) }
    }

    /// Uses a connection, whose statements wait as long.
    ///
    /// - Throws: ``SQLiteHTTPCacheError/locked(path:after:)``; what `body` throws.
    func use<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        try use { wait in
            database.waitForOthers(wait)
            return try body(database)
        }
    }
}

extension Database {
    /// How long statements wait for others who have the database locked.
    func waitForOthers(_ wait: Duration) {
        unsafe sqlite3_busy_timeout(sqliteConnection, Int32(wait / .milliseconds(1)))
    }
}

extension Error {
    /// Whether others had it locked.
    fileprivate var isOfLock: Bool {
        if let error = self as? DatabaseError { return [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) }
        return if case .locked? = self as? SQLiteHTTPCacheError { true } else { false }
    }
}
