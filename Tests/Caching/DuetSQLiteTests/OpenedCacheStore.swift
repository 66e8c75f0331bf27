import DuetCaching
import DuetContracts
import DuetSQLite
import FeedTesting
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// A store of values in its own file, with the losses that it reports.
struct OpenedCacheStore: Sendable {
    let path: String
    let losses: Losses
    let store: SQLiteCacheStore
    var subject: CacheStoreSubject { CacheStoreSubject(store) }
    private let directory: TemporaryDirectory

    init(
        limit: SQLiteCacheStore.Limit = .init(),
        busyTimeout: Duration = .seconds(3_600),
        interruption: Interruption? = nil,
        copying other: OpenedCacheStore? = nil
    ) async throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
        losses = other?.losses ?? Losses()
        if let other { try StoreFile.copy(from: other.path, to: path) }
        store = try await DatabaseFile.$prepareConnection.withValue({ interruption?.prepare($0) }) {
            [path, losses] in
            try await SQLiteCacheStore(path: path, limit: limit, busyTimeout: busyTimeout, onLoss: losses.add)
        }
    }

    /// Opens a copy of the files, as the next process would find them.
    func restarted() async throws -> OpenedCacheStore { try await OpenedCacheStore(copying: self) }

    /// Whether a damaged file was renamed.
    var isSetAside: Bool { FileManager.default.fileExists(atPath: path + ".unreadable") }

    /// The names of the files that contain bytes.
    func files(with bytes: Data) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter {
            try Data(contentsOf: directory.appending($0)).range(of: bytes) != nil
        }
    }

    func inDatabase(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await StoreFile.inDatabase(at: path, work)
    }

    /// The first value of a query, through another connection.
    func number(_ sql: String) async throws -> Int64? { try await StoreFile.number(sql, at: path) }

    /// Checks that the tables agree with each other.
    func checkTables() async throws { try await Self.checkTables(at: path) }

    static func checkTables(at path: String) async throws {
        try await StoreFile.inDatabase(at: path) { database in
            try require(String.fetchOne(database, sql: "PRAGMA integrity_check"), toBe: "ok", "the database")
            for (sql, what) in [
                ("SELECT size - (SELECT coalesce(sum(size), 0) FROM value) FROM state", "uncounted bytes"),
                ("SELECT count - (SELECT count(*) FROM value) FROM state", "uncounted values"),
                ("SELECT count(*) FROM value WHERE id NOT IN (SELECT value FROM usage)", "values without a use"),
                ("SELECT count(*) FROM usage WHERE value NOT IN (SELECT id FROM value)", "uses without a value"),
                ("SELECT count(*) FROM tag WHERE value NOT IN (SELECT id FROM value)", "tags without a value"),
            ] { try require(Int.fetchOne(database, sql: sql), toBe: 0, what) }
        }
    }
}

/// Interrupts a statement of a number, counted from when a test arms it.
final class Interruption: Sendable {
    private let rest = Mutex<Int?>(nil)

    /// Whether the statement was reached since the interruption was armed.
    var isDone: Bool { rest.withLock { $0 == 0 } }

    func arm(at number: Int?) { rest.withLock { $0 = number } }

    func prepare(_ database: Database) {
        let connection = unsafe database.sqliteConnection
        database.trace { [self] _ in
            let isDue = rest.withLock { rest in
                guard let number = rest, number > 0 else { return false }
                rest = number - 1
                return number == 1
            }
            if isDue { unsafe sqlite3_interrupt(connection) }
        }
    }
}
