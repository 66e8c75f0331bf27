import Dispatch
import Duet
import DuetHTTPCaching
import GRDB
import Synchronization

/// The open database of a store, which is replaced when it turns out to be damaged.
final class CacheDatabase<Tables: CacheTables>: Sendable {
    private enum State {
        case open(CacheConnections)
        /// The store works without a database, or another one is being opened.
        case closed(because: any Error)
    }

    /// The number of uses that are remembered until the next change writes them.
    private static var useLimit: Int { 256 }

    let room: Tables.Room
    private let file: CacheFile
    private let onLoss: @Sendable (SQLiteCacheLoss) -> Void
    private let state: Mutex<State>
    /// The entries that were used and are not marked in the database yet.
    private let uses = Mutex(UseOrder<Int64>())
    private let queue = DispatchQueue(label: Tables.schema.label)

    var path: String { file.path }

    init(
        path: String,
        room: Tables.Room,
        busyTimeout: Duration,
        onLoss: @escaping @Sendable (SQLiteCacheLoss) -> Void,
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws {
        self.room = room
        self.onLoss = onLoss
        file = try CacheFile(
            path: path,
            schema: Tables.schema,
            busyTimeout: busyTimeout,
            prepare: prepare,
            trim: { try Tables($0, room).trimAtOpening() }
        )
        let initial: State
        do {
            initial = .open(try file.open(report: onLoss))
        } catch let error as SQLiteCacheError {
            guard case .damagedInUse = error else { throw error }
            onLoss(.unavailable(reason: "\(error)"))
            initial = .closed(because: error)
        }
        state = Mutex(initial)
    }

    // MARK: Reading and writing

    /// Reads with one statement, on the calling thread and without a transaction.
    func read<Value>(_ body: (Tables) throws -> Value) async throws -> Value {
        var idle: DatabaseQueue?
        let opened = try opened { idle = $0.beginRead() }
        do {
            return try opened.read(on: idle) { try body(Tables($0, room)) }
        } catch {
            throw await failure(error, of: opened)
        }
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
        let opened = try opened()
        do {
            return try await withCheckedThrowingContinuation { continuation in
                opened.writer.asyncWriteWithoutTransaction { database in
                    continuation.resume(with: Result { try body(database) })
                }
            }
        } catch {
            throw await failure(error, of: opened)
        }
    }

    /// - Parameter use: Runs before the file can be closed.
    private func opened(_ use: (CacheConnections) -> Void = { _ in }) throws -> CacheConnections {
        try state.withLock { state in
            switch state {
            case .open(let opened):
                use(opened)
                return opened
            case .closed(let error): throw error
            }
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
    func drop(_ body: @escaping @Sendable (Tables) throws -> SQLiteCacheLoss?) async {
        // An entry that cannot be removed now is found again the next time.
        if let loss = try? await write(body) { onLoss(loss) }
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

    // MARK: Replacing

    /// Removes everything, also from the files.
    func removeAll() async throws {
        _ = takeUses()
        if !isOpen { try await onQueue { try self.reopen() } }
        do {
            try await erase()
        } catch SQLiteCacheError.damaged where isOpen {
            // It was set aside with everything in it, and is deleted below.
        } catch SQLiteCacheError.failed(let path, let underlying) {
            // A full disk has no room to record the removal, and deleting the file makes room.
            try await startOver(because: SQLiteCacheError.failed(path: path, underlying: underlying))
        }
        file.deleteSetAside()
    }

    private func erase() async throws {
        try await onWriter { database in
            try database.inTransaction(.immediate) {
                try Tables(database, self.room).removeAll()
                return .commit
            }
            try database.execute(sql: "VACUUM")
            // It waits for readers and empties the log.
            try database.checkpoint(.truncate)
        }
    }

    private func startOver(because error: SQLiteCacheError) async throws {
        let opened = try opened()
        guard await close(opened, because: error) else { throw error }
        try await onQueue { [file] in
            opened.close()
            let isDeleted = (try? file.delete(opened)) ?? false
            try self.reopen()
            guard isDeleted else { throw error }
        }
    }

    private var isOpen: Bool { if case .open = state.withLock({ $0 }) { true } else { false } }

    /// The public form of an error; one that shows damage replaces the database first.
    private func failure(_ error: any Error, of opened: CacheConnections) async -> any Error {
        let mapped = file.mapped(error)
        guard let error = error as? DatabaseError, error.isDamage, await close(opened, because: mapped) else {
            return mapped
        }
        do {
            try await onQueue {
                opened.close()
                try self.reopen(after: CacheFile.Damage(file: opened, error: error))
            }
            return mapped
        } catch {
            return error
        }
    }

    /// Ends the use of a file, and waits for reads in progress; false if it was ended already.
    private func close(_ opened: CacheConnections, because error: any Error) async -> Bool {
        let isClosed = state.withLock { state in
            guard case .open(let current) = state, current === opened else { return false }
            state = .closed(because: error)
            return true
        }
        if isClosed { await opened.waitForReads() }
        return isClosed
    }

    private func reopen(after damage: CacheFile.Damage? = nil) throws {
        guard !isOpen else { return }
        do {
            let new = try file.open(after: damage, report: onLoss)
            state.withLock { $0 = .open(new) }
        } catch {
            state.withLock { $0 = .closed(because: error) }
            onLoss(.unavailable(reason: "\(error)"))
            throw error
        }
    }

    /// Runs work that waits for disks and other processes, one after the other, on a thread that tasks do not share.
    private func onQueue(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
