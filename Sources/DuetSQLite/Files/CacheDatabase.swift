import DuetHTTPCaching
import GRDB
import Synchronization

/// The open database of a store: one connection that writes, and as many that read as there are reads at a time.
///
/// GRDB's pool of readers takes three times as long for a read of one row. It waits for several locks and queues, and
/// asks for the version of the schema, which prepared statements check by themselves.
final class CacheDatabase<Tables: CacheTables>: Sendable {
    /// The number of uses that are remembered until the next change writes them.
    private static var useLimit: Int { 256 }
    /// The number of bytes of the write-ahead log that SQLite keeps when it is empty.
    private static var logSize: Int { 16 * 1024 * 1024 }
    /// The number of bytes of the write-ahead log that are moved to the database at a time.
    private static var checkpointSize: Int { 4_096_000 }
    /// The number of seconds that a reader waits for a lock, which it needs only while another process repairs the log.
    private static var readerTimeout: Double { 10 }

    let room: Tables.Room
    private let file: DatabaseFile
    private let onLoss: @Sendable (SQLiteStoreLoss) -> Void
    private let writer: DatabaseQueue
    private let idleReaders = Mutex<[DatabaseQueue]>([])
    /// The entries that were used and are not marked in the database yet.
    private let uses = Mutex(UseOrder<Int64>())

    var path: String { file.path }

    /// Opens the file, or creates it with its folder.
    ///
    /// - Throws: ``SQLiteStoreError``.
    init(
        path: String,
        room: Tables.Room,
        busyTimeout: Duration,
        startsOver: Bool = true,
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void,
        prepare: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        self.room = room
        self.onLoss = onLoss
        file = try DatabaseFile(
            path: path,
            kind: Tables.kind,
            busyTimeout: busyTimeout,
            startsOver: startsOver,
            prepare: prepare
        )
        writer = try await file.open(report: onLoss) { path, configuration in
            var configuration = configuration
            configuration.journalMode = .wal
            configuration.prepareDatabase { database in
                try database.execute(
                    sql: """
                        PRAGMA journal_size_limit = \(Self.logSize); PRAGMA temp_store = MEMORY;
                        PRAGMA wal_autocheckpoint = \(Self.checkpointSize / Tables.kind.pageSize)
                        """
                )
            }
            let writer = try DatabaseQueue(path: path, configuration: configuration)
            if Tables.waitsForDisk {
                // Afterward, because GRDB sets `synchronous = NORMAL` when it turns on WAL mode.
                try writer.writeWithoutTransaction {
                    try $0.execute(
                        sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"
                    )
                }
            }
            return writer
        }
        try await onWriter { database in
            try database.inTransaction(.immediate) {
                try Tables(database, room).trimAtOpening()
                return .commit
            }
        }
    }

    deinit {
        // The readers are closed first: the last connection empties and deletes the log, which a reader cannot.
        idleReaders.withLock { $0 = [] }
    }

    // MARK: Reading and writing

    /// Reads with one statement, on the calling thread and without a transaction.
    func read<Value>(_ body: (Tables) throws -> Value) async throws -> Value {
        try file.errors.mapping {
            let reader = try idleReaders.withLock { $0.popLast() } ?? newReader()
            defer { idleReaders.withLock { $0.append(reader) } }
            return try reader.unsafeRead { database in
                try notingDamage(in: database) { try body(Tables(database, room)) }
            }
        }
    }

    private func newReader() throws -> DatabaseQueue {
        // It keeps the lock of the file.
        var configuration = writer.configuration
        configuration.readonly = true
        configuration.journalMode = .default
        configuration.busyMode = .timeout(Self.readerTimeout)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Changes tables in one transaction.
    ///
    /// The transaction also marks pending uses, and trims. It is not canceled with the task, because a removal has to
    /// happen even if no task waits for it.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Tables) throws -> Value
    ) async throws -> Value {
        try await onWriter { try self.change($0, body) }
    }

    private func onWriter<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            writer.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(
                    with: Result {
                        try file.errors.mapping { try notingDamage(in: database) { try body(database) } }
                    }
                )
            }
        }
    }

    /// Notes damage for the next process that opens the file, which may not find it by itself.
    private func notingDamage<Value>(in database: Database, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError where error.isDamage {
            try file.noteDamage(in: database)
            throw error
        }
    }

    private func change<Value>(_ database: Database, _ body: (Tables) throws -> Value) throws -> Value {
        let used = takeUses()
        let tables = Tables(database, room)
        var isCommitted = false
        defer { tables.end(isCommitted: isCommitted) }
        var result: Value?
        try database.inTransaction(.immediate) {
            try tables.begin()
            try tables.markUsed(used)
            result = try body(tables)
            try tables.trim()
            return .commit
        }
        isCommitted = true
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }

    /// Removes an entry if it is damaged, and reports the loss that `body` returns.
    func drop(_ body: @escaping @Sendable (Tables) throws -> SQLiteStoreLoss?) async {
        // An entry that cannot be removed now is found again the next time.
        if let loss = try? await write(body) { onLoss(loss) }
    }

    /// Removes everything, also from the files, and also from a damaged one.
    func removeAll() async throws {
        _ = takeUses()
        try await onWriter { database in
            try self.file.empty(database)
            // It waits for readers and empties the log.
            try database.checkpoint(.truncate)
        }
        file.deleteRenamed()
    }

    // MARK: Uses

    /// Remembers a use, and forgets the earliest of too many.
    func noteUse(of id: Int64) {
        uses.withLock { uses in
            uses.use(id)
            if uses.count > Self.useLimit, let first = uses.first { uses.remove(first) }
        }
    }

    private func takeUses() -> [Int64] {
        uses.withLock { uses in
            var ids: [Int64] = []
            while let id = uses.first {
                uses.remove(id)
                ids.append(id)
            }
            return ids
        }
    }
}
