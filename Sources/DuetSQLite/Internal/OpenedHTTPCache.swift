import DuetHTTPCaching
import Foundation
import GRDB

/// A database that is open and has the right tables, for as long as somebody refers to it.
///
/// Where another file takes its place, who reads from this one reads on: its connections are open, and keep the file that has
/// no name any more.
final class OpenedHTTPCache: Sendable {
    /// The file that is open, which need not stay the one at the place.
    let identity: FileIdentity?
    /// The files that SQLite has beside it.
    let besides: [String: FileIdentity]
    /// Who reads what is stored in it.
    let readers: BodyReaders

    private let place: HTTPCachePlace
    private let writer: DatabaseQueue
    private let reading: ReadingConnections
    /// For changes.
    private let patience: Patience
    /// For those who read from the log, while nobody else can change anything.
    private let patienceWithLog: Patience
    /// Held together with all others who have it open.
    private let lock: FileLock

    /// Opens what is at the place, or makes something new there, while nobody else does.
    init(
        _ place: HTTPCachePlace,
        waiting wait: Duration,
        lock: FileLock,
        isAlone: Bool,
        _ losses: inout [SQLiteHTTPCacheLoss]
    ) throws {
        try place.makeFile()
        // Before it is opened too: where another file takes its place meanwhile, that is seen the next time.
        identity = place.identity
        // Before it is opened, because GRDB writes a page or two at once.
        let size = try FileManager.default.attributesOfItem(atPath: place.path)[.size] as? Int ?? 0
        let configuration = Self.configuration(place, waiting: wait)
        readers = BodyReaders()
        writer = try DatabaseQueue(path: place.path, configuration: configuration)
        try writer.writeWithoutTransaction { [readers] database in
            try HTTPCacheSchema.checkSize(size, in: database)
            let found = try HTTPCacheSchema.makeTables(in: database, place)
            if found != HTTPCacheSchema.version {
                if found != 0 { losses.append(.olderFormat(found)) }
                // So that the file itself says what it is, also when the log is lost.
                _ = try? database.checkpoint(.truncate)
            }
            let tables = HTTPCacheTables(database, capacity: place.capacity, readers)
            if isAlone {
                try database.inTransaction(.immediate) {
                    try tables.sweep()
                    try tables.recount()
                    return .commit
                }
            }
            try tables.trimRest(waiting: wait)
        }
        besides = place.besides
        reading = try ReadingConnections(place, configuration)
        patience = Patience(place)
        patienceWithLog = Patience(place, longest: .milliseconds(50))
        self.place = place
        self.lock = lock
    }

    private static func configuration(_ place: HTTPCachePlace, waiting wait: Duration) -> Configuration {
        var configuration = Configuration()
        configuration.label = "SQLiteHTTPCacheStore"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(wait / .seconds(1))
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = \(HTTPCachePlace.logSize)"
            )
            try place.prepare(database)
        }
        return configuration
    }

    /// Whether nobody else has it open, as far as can be told while nobody opens anything.
    var isAlone: Bool {
        defer { _ = lock.shared(within: .zero) }
        return lock.tryExclusive()
    }

    /// The number of its format, if that can be read: a newer program may have changed the tables while it was open.
    var format: Int? {
        try? writer.unsafeRead { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }

    /// Reads with one statement.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        try await reading.read { [place, readers] in
            try body(HTTPCacheTables($0, capacity: place.capacity, readers))
        }
    }

    /// Writes on the thread of the one connection that does.
    ///
    /// - Parameter isStoring: Whether there has to be room in the log for what it writes.
    func write<Value: Sendable>(
        isStoring: Bool = false,
        _ body: @escaping @Sendable (Database, HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            writer.asyncWriteWithoutTransaction { [self] database in
                let tables = HTTPCacheTables(database, capacity: place.capacity, readers)
                continuation.resume(
                    with: Result {
                        if isStoring { try checkLog(of: database) }
                        return try patience.use(database) { try body($0, tables) }
                    }
                )
            }
        }
    }

    /// Has a large log begun anew, and refuses more while that cannot be done for so long that it gets too large.
    private func checkLog(of database: Database) throws {
        // Taken away and not added to the capacity, which may be the largest number.
        let excess = place.sizeOfLog - HTTPCachePlace.logSize
        guard excess > place.capacity.bytes else { return }
        do {
            _ = try patienceWithLog.use(database) { try $0.checkpoint(.restart) }
        } catch SQLiteHTTPCacheError.locked {
            // Others may write or do the same just now: it is tried again with each change.
            guard excess - HTTPCachePlace.logSize > place.capacity.bytes else { return }
            throw SQLiteHTTPCacheError.logHeld(path: place.path, bytes: excess + HTTPCachePlace.logSize)
        }
    }

    /// Removes an entry that nobody sees, some time soon.
    func discardLater(_ id: HTTPCacheEntry.ID) {
        writer.asyncWriteWithoutTransaction { [place, readers, patience] database in
            // What cannot be removed goes when there is no room, or when the database is opened again.
            try? patience.use(database) {
                try HTTPCacheTables($0, capacity: place.capacity, readers).discard(id)
            }
        }
    }
}
