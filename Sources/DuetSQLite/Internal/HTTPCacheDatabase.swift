import DuetHTTPCaching
import GRDB
import Synchronization

/// The open database of a cache; another one takes its place when it is damaged, or when its file is gone.
final class HTTPCacheDatabase: Sendable {
    private let place: HTTPCachePlace
    private let onLoss: @Sendable (SQLiteHTTPCacheLoss) -> Void
    private let opened: Mutex<OpenedHTTPCache>
    private let patience: Patience

    var path: String { place.path }
    var capacity: Int64 { place.capacity }
    var readers: BodyReaders { place.readers }

    init(_ place: HTTPCachePlace, onLoss: @escaping @Sendable (SQLiteHTTPCacheLoss) -> Void) throws {
        let (cache, losses) = try OpenedHTTPCache.open(place)
        self.place = place
        self.onLoss = onLoss
        opened = Mutex(cache)
        patience = Patience(place)
        losses.forEach(onLoss)
    }

    /// Reads with one statement; nil when nothing can be read any more, because the database is damaged.
    ///
    /// It runs where it is called: a few pages from memory or from the disk, which waits for nobody who writes. To go to another
    /// thread and back takes as long as reading a hundred kilobytes.
    func read<Value>(_ body: (HTTPCacheTables) throws -> Value) throws -> Value? {
        let pool = try current()
        do {
            return try pool.unsafeRead { try body(HTTPCacheTables($0, place)) }
        } catch let error as DatabaseError where error.isDamage {
            try replace(pool, because: error)
            return nil
        } catch {
            throw place.mapped(error)
        }
    }

    /// Writes in one transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        try await use { [place] database in
            var result: Value?
            let tables = HTTPCacheTables(database, place)
            try database.inTransaction(.immediate) {
                result = try body(tables)
                return .commit
            }
            tables.removeUnread()
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }

    /// Removes everything, so that the files do not hold it any more.
    func erase() async throws {
        place.removeSetAside()
        try await use { [place] database in
            try database.inTransaction(.immediate) {
                try HTTPCacheTables(database, place).removeAll()
                return .commit
            }
            try database.execute(sql: "VACUUM")
            // The log is emptied as soon as nobody reads from it any more.
            _ = try database.checkpoint(.truncate)
        }
    }

    /// Removes an entry that is damaged, and tells it.
    func drop(_ id: HTTPCacheEntry.ID, reason: String) async {
        // What cannot be removed now is found again the next time.
        guard (try? await write { try $0.remove([id]) }) != nil else { return }
        onLoss(.response(id: id, reason: reason))
    }

    /// Removes an entry that nobody sees, some time soon.
    func removeLater(_ id: HTTPCacheEntry.ID) {
        opened.withLock(\.pool).asyncWriteWithoutTransaction { [patience, place] database in
            // What cannot be removed goes when there is no room, or when the database is opened again.
            try? patience.use(database) { try HTTPCacheTables($0, place).discard(id) }
        }
    }

    private func use<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let pool = try current()
        do {
            return try await withCheckedThrowingContinuation { continuation in
                pool.asyncWriteWithoutTransaction { [patience] database in
                    continuation.resume(with: Result { try patience.use(database, body) })
                }
            }
        } catch let error as DatabaseError where error.isDamage {
            try replace(pool, because: error)
            throw place.mapped(error)
        } catch {
            throw place.mapped(error)
        }
    }

    /// The database at the place: another one than before when the file was removed or replaced.
    private func current() throws -> DatabasePool {
        let (pool, losses) = try opened.withLock { opened in
            guard opened.identity != place.identity else { return (opened.pool, [SQLiteHTTPCacheLoss]()) }
            let (cache, losses) = try OpenedHTTPCache.open(place)
            opened = cache
            return (cache.pool, [.file(path: path)] + losses)
        }
        losses.forEach(onLoss)
        return pool
    }

    /// Puts the files aside, unless others did so already, and begins anew.
    private func replace(_ pool: DatabasePool, because error: DatabaseError) throws {
        let losses = try opened.withLock { opened -> [SQLiteHTTPCacheLoss] in
            guard opened.pool === pool else { return [] }
            // What does not fit this program's statements may be what a newer one has made of the tables.
            if let found = try? pool.unsafeRead({ try Int.fetchOne($0, sql: "PRAGMA user_version") }),
                found > HTTPCacheSchema.version
            {
                throw place.newerFormat(found)
            }
            try? pool.close()
            var losses: [SQLiteHTTPCacheLoss] = []
            if opened.identity == place.identity {
                try place.setAside()
                losses = [.database(setAsideAt: place.pathSetAside, reason: error.reason)]
            }
            let (cache, others) = try OpenedHTTPCache.open(place)
            opened = cache
            return losses + others
        }
        losses.forEach(onLoss)
    }
}
