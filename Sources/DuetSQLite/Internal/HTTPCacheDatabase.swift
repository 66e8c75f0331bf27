import Dispatch
import Duet
import DuetHTTPCaching
import GRDB
import Synchronization

/// The open database of a store, which is replaced when it turns out to be damaged.
final class HTTPCacheDatabase: Sendable {
    private enum State {
        case open(HTTPCacheFile.Opened)
        /// The store works without a database, or another one is being opened.
        case closed(because: any Error)
    }

    /// How many uses are remembered until the next change writes them.
    private static let useLimit = 256

    let pins = BodyPins()
    private let file: HTTPCacheFile
    private let onLoss: @Sendable (SQLiteHTTPCacheLoss) -> Void
    private let state: Mutex<State>
    /// The entries that were used and are not marked in the database yet.
    private let uses = Mutex(UseOrder<HTTPCacheEntry.ID>())
    private let queue = DispatchQueue(label: "SQLiteHTTPCacheStore")
    /// How many bytes are being stored.
    private let unfinished = Mutex<Int64>(0)

    var path: String { file.path }
    var capacity: StoreCapacity { file.capacity }

    init(_ file: HTTPCacheFile, onLoss: @escaping @Sendable (SQLiteHTTPCacheLoss) -> Void) throws {
        self.file = file
        self.onLoss = onLoss
        let initial: State
        do {
            initial = .open(try file.open(report: onLoss))
        } catch let error as SQLiteHTTPCacheError {
            guard case .damagedInUse = error else { throw error }
            onLoss(.unavailable(reason: "\(error)"))
            initial = .closed(because: error)
        }
        state = Mutex(initial)
    }

    // MARK: Reading and writing

    /// Reads in one transaction, on the calling thread.
    func read<Value>(_ body: (HTTPCacheTables) throws -> Value) async throws -> Value {
        let opened = try opened { $0.reads.update { $0 += 1 } }
        do {
            defer { opened.reads.update { $0 -= 1 } }
            return try Self.read(from: opened.pool, body)
        } catch {
            throw await failure(error, of: opened)
        }
    }

    /// Changes tables in one transaction.
    ///
    /// The transaction also marks pending uses, deletes discarded bodies, and trims. It is not canceled with the task:
    /// a removal has to happen even if nobody waits for it.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        try await onWriter { try self.change($0, body) }
    }

    private func onWriter<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value
    {
        let opened = try opened()
        do {
            return try await withCheckedThrowingContinuation { continuation in
                opened.pool.asyncWriteWithoutTransaction { database in
                    continuation.resume(with: Result { try body(database) })
                }
            }
        } catch {
            throw await failure(error, of: opened)
        }
    }

    /// - Parameter use: Runs before the file can be closed.
    private func opened(_ use: (HTTPCacheFile.Opened) -> Void = { _ in }) throws -> HTTPCacheFile.Opened {
        try state.withLock { state in
            switch state {
            case .open(let opened):
                use(opened)
                return opened
            case .closed(let error): throw error
            }
        }
    }

    /// Synchronous, so that GRDB's synchronous access is chosen: its asynchronous one changes threads four times.
    private static func read<Value>(
        from pool: DatabasePool,
        _ body: (HTTPCacheTables) throws -> Value
    ) throws -> Value {
        try pool.read { try body(HTTPCacheTables($0)) }
    }

    private func change<Value>(_ database: Database, _ body: (HTTPCacheTables) throws -> Value) throws -> Value {
        let used = takeUses()
        let discarded = pins.takeDiscarded(keeping: capacity.bytes)
        do {
            let tables = HTTPCacheTables(database)
            var result: Value?
            try database.inTransaction(.immediate) {
                try tables.deletePieces(of: discarded.keys)
                try tables.markUsed(used)
                result = try body(tables)
                try tables.trim(to: capacity.bytes)
                return .commit
            }
            pins.discard(tables.removed)
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        } catch {
            pins.discard(discarded)
            throw error
        }
    }

    /// Removes an entry that is damaged, and reports it.
    func drop(_ id: HTTPCacheEntry.ID, reason: String) async {
        // An entry that cannot be removed now is found again the next time.
        guard (try? await write { try $0.remove([id]) }) != nil else { return }
        onLoss(.response(id: id, reason: reason))
    }

    // MARK: Uses and room

    /// Remembers a use, and forgets the earliest of too many.
    func noteUse(of id: HTTPCacheEntry.ID) {
        uses.withLock { uses in
            uses.use(id)
            if uses.count > Self.useLimit, let first = uses.first { uses.remove(first) }
        }
    }

    private func takeUses() -> [HTTPCacheEntry.ID] {
        uses.withLock { uses in
            var ids: [HTTPCacheEntry.ID] = []
            while let id = uses.first {
                uses.remove(id)
                ids.append(id)
            }
            return ids
        }
    }

    /// Makes room for bytes that are being stored: as many at a time as the capacity.
    func reserve(_ count: Int) -> Bool {
        unfinished.withLock { unfinished in
            guard Int64(count) <= capacity.bytes - unfinished else { return false }
            unfinished += Int64(count)
            return true
        }
    }

    func release(_ count: Int64) {
        unfinished.withLock { $0 -= count }
    }

    // MARK: Replacing

    /// Removes everything, so that nothing of it is in the files.
    func removeAll() async throws {
        _ = takeUses()
        if !isOpen { try await onQueue { try self.reopen() } }
        do {
            try await erase()
        } catch SQLiteHTTPCacheError.damaged where isOpen {
            // It was set aside with everything in it, and is deleted below.
        } catch SQLiteHTTPCacheError.failed(let path, let underlying) {
            // A full disk has no room to record that everything is gone, and deleting the file is what makes some.
            try await startOver(because: SQLiteHTTPCacheError.failed(path: path, underlying: underlying))
        }
        file.deleteSetAside()
    }

    private func erase() async throws {
        try await onWriter { database in
            try database.inTransaction(.immediate) {
                try HTTPCacheTables(database).removeAll()
                return .commit
            }
            try database.execute(sql: "VACUUM")
            // It waits for readers and empties the log.
            try database.checkpoint(.truncate)
        }
    }

    private func startOver(because error: SQLiteHTTPCacheError) async throws {
        let opened = try opened()
        guard await close(opened, because: error) else { throw error }
        try await onQueue { [file] in
            try? opened.pool.close()
            let isDeleted = (try? file.delete(opened)) ?? false
            try self.reopen()
            guard isDeleted else { throw error }
        }
    }

    private var isOpen: Bool { if case .open = state.withLock({ $0 }) { true } else { false } }

    /// The public form of an error; one that shows damage replaces the database first.
    private func failure(_ error: any Error, of opened: HTTPCacheFile.Opened) async -> any Error {
        let mapped = file.mapped(error)
        guard let error = error as? DatabaseError, error.isDamage, await close(opened, because: mapped) else {
            return mapped
        }
        do {
            try await onQueue {
                try? opened.pool.close()
                try self.reopen(after: HTTPCacheFile.Damage(file: opened, error: error))
            }
            return mapped
        } catch {
            return error
        }
    }

    /// Ends the use of a file, and waits for reads under way; false if it was ended already.
    private func close(_ opened: HTTPCacheFile.Opened, because error: any Error) async -> Bool {
        let isClosed = state.withLock { state in
            guard case .open(let current) = state, current.pool === opened.pool else { return false }
            state = .closed(because: error)
            return true
        }
        if isClosed { await opened.reads.waitEvenIfCanceled { $0 == 0 } }
        return isClosed
    }

    private func reopen(after damage: HTTPCacheFile.Damage? = nil) throws {
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

    /// Runs work that waits for disks and other processes on a thread that tasks do not share, one after the other.
    private func onQueue(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
