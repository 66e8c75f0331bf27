import Foundation
import GRDB
import Synchronization

/// The open database of a store: one connection that writes, and as many that read as there are reads at a time.
///
/// GRDB's pool of readers takes twice as long for a read of one row. It waits for several locks and queues, and asks
/// for the version of the schema, which prepared statements check by themselves.
final class CacheDatabase<Tables: CacheTables>: Sendable {
    private let limit: Tables.Limit
    private let file: DatabaseFile
    private let pool: DatabasePool
    private let idleReaders = Mutex<[DatabaseQueue]>([])
    /// The last entries that were used and are not marked in the database yet, up to 256.
    private let uses = Mutex<[Int64]>([])

    var path: String { file.path }

    /// Opens the file, or creates it with its folder.
    ///
    /// - Throws: ``SQLiteStoreError``.
    init(
        path: String,
        limit: Tables.Limit,
        busyTimeout: Duration,
        startsOver: Bool = true,
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void
    ) async throws {
        self.limit = limit
        file = try DatabaseFile(
            path: path,
            kind: Tables.kind,
            busyTimeout: busyTimeout,
            startsOver: startsOver,
            report: onLoss,
            prepare: { database in
                // The bytes of the log that SQLite keeps when it is empty, and those that it moves at a time.
                try database.execute(
                    sql: """
                        PRAGMA journal_size_limit = \(16 * 1024 * 1024); PRAGMA temp_store = MEMORY;
                        PRAGMA wal_autocheckpoint = \(4_096_000 / Tables.kind.pageSize)
                        """
                )
            },
            check: { try Tables($0, limit).open(isAlone: $1) }
        )
        pool = try await file.open()
    }

    deinit {
        // The readers are closed first: the last connection empties and deletes the log, which a reader cannot.
        idleReaders.withLock { $0 = [] }
    }

    // MARK: Reading and writing

    /// Reads with one statement, on the calling thread and without a transaction.
    func read<Value>(_ body: (Tables) throws -> Value) async throws -> Value {
        try file.mapping {
            let reader = try idleReaders.withLock { $0.popLast() } ?? newReader()
            defer { idleReaders.withLock { $0.append(reader) } }
            return try reader.unsafeRead { database in
                try file.mapping(database) { try body(Tables(database, limit)) }
            }
        }
    }

    private func newReader() throws -> DatabaseQueue {
        // It keeps the lock of the file.
        var configuration = pool.configuration
        configuration.readonly = true
        // Only another process that repairs the log makes it wait.
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Changes tables in one transaction.
    ///
    /// The transaction also marks pending uses, unless it must be short, and trims. It is not canceled with the task,
    /// because a removal has to happen even if no task waits for it.
    func write<Value: Sendable>(
        isShort: Bool = false,
        _ body: @escaping @Sendable (Tables) throws -> Value
    ) async throws -> Value {
        try await onWriter { [self] database in
            let used = isShort ? [] : takeUses()
            let tables = Tables(database, limit)
            var result: Value?
            try database.inTransaction(.immediate) {
                try tables.markUsed(used)
                result = try body(tables)
                try tables.trim()
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }

    /// Locks a file beside the database until the returned object ends, or returns nil while another object does.
    func lock(_ name: String) throws -> FileLock? {
        try file.mapping {
            let lock = try FileLock(path: path + "." + name)
            return try lock.lock(LOCK_EX) ? lock : nil
        }
    }

    /// Creates an empty file beside the database, which only its owner can read.
    func note(_ path: String) throws { _ = try file.mapping { try FileLock(path: path) } }

    private func onWriter<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [file] database in
                continuation.resume(with: Result { try file.mapping(database) { try body(database) } })
            }
        }
    }

    /// Removes an entry if it is damaged, and reports the loss that `body` returns.
    func drop(_ body: @escaping @Sendable (Tables) throws -> SQLiteStoreLoss?) async {
        // An entry that cannot be removed now is found again the next time.
        if let loss = try? await write(body) { file.report(loss) }
    }

    /// Removes everything, also from the files, and also from a damaged one.
    func removeAll() async throws {
        _ = takeUses()
        try await onWriter { [file] database in
            try file.empty(database)
            // It waits for readers and empties the log.
            try database.checkpoint(.truncate)
        }
        file.deleteRenamed()
    }

    /// Remembers a use until the next change.
    func noteUse(of id: Int64) {
        uses.withLock { uses in
            if let index = uses.firstIndex(of: id) ?? (uses.count < 256 ? nil : 0) { uses.remove(at: index) }
            uses.append(id)
        }
    }

    private func takeUses() -> [Int64] {
        uses.withLock { uses in
            defer { uses = [] }
            return uses
        }
    }
}
