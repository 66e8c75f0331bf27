import Dispatch
import DuetHTTPCaching
import GRDB
import Synchronization

/// The open database of a cache; another one takes its place when it is damaged, or when its file is gone.
final class HTTPCacheDatabase: Sendable {
    private struct State {
        var cache: OpenedHTTPCache
        /// Opens another one, for all who wait for that.
        var opening: Task<OpenedHTTPCache, any Error>?
        /// Whether its loss is told, although there is no other yet.
        var isLossTold = false
    }

    private let place: HTTPCachePlace
    private let onLoss: @Sendable (SQLiteHTTPCacheLoss) -> Void
    private let state: Mutex<State>
    /// For opening another one.
    private let patience: Patience
    /// Waits for locks and disks, so that the threads that tasks share need not.
    private let queue = DispatchQueue(label: "SQLiteHTTPCacheStore.opening")

    var path: String { place.path }
    var capacity: StoreCapacity { place.capacity }

    init(_ place: HTTPCachePlace, onLoss: @escaping @Sendable (SQLiteHTTPCacheLoss) -> Void) throws {
        var losses: [SQLiteHTTPCacheLoss] = []
        defer { losses.forEach(onLoss) }
        self.place = place
        self.onLoss = onLoss
        patience = Patience(place)
        state = Mutex(State(cache: try OpenedHTTPCache.open(place, waiting: place.busyWait, &losses)))
    }

    /// The database at the place: another one than before when the file was removed or replaced.
    func current() async throws -> OpenedHTTPCache {
        let cache = state.withLock(\.cache)
        return cache.identity == place.identity ? cache : try await another(than: cache)
    }

    /// Reads with one statement; nil when nothing can be read any more, because the database is damaged.
    func read<Value: Sendable>(
        from cache: OpenedHTTPCache,
        _ body: @escaping @Sendable (HTTPCacheTables) throws -> Value
    ) async throws -> Value? {
        do {
            return try await cache.read(body)
        } catch let error as DatabaseError where error.isDamage {
            _ = try await another(than: cache, because: error)
            return nil
        } catch {
            throw place.mapped(error)
        }
    }

    /// Writes in one transaction.
    ///
    /// - Parameter isStoring: Whether it stores bytes, for which there has to be room in the log too, and others have to go.
    func write<Value: Sendable>(
        isStoring: Bool = false,
        _ body: @escaping @Sendable (HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        try await write(to: current(), isStoring: isStoring, body)
    }

    private func write<Value: Sendable>(
        to cache: OpenedHTTPCache,
        isStoring: Bool = false,
        _ body: @escaping @Sendable (HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        try await use(cache, isStoring: isStoring) { [place] database, tables in
            var result: Value?
            var isTrimmed = true
            try database.inTransaction(.immediate) {
                result = try body(tables)
                if isStoring { isTrimmed = try tables.trim() }
                return .commit
            }
            tables.removeUnread()
            // It is stored, and the next one that is trims on where this one cannot.
            if !isTrimmed { try? tables.trimRest(waiting: place.busyWait) }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }

    /// Removes everything, so that the files do not hold it any more.
    func erase() async throws {
        do {
            try await use(current()) { [place] database, tables in
                place.removeSetAside()
                try database.inTransaction(.immediate) {
                    try tables.removeAll()
                    return .commit
                }
                try database.execute(sql: "VACUUM")
                // The log is emptied as soon as nobody reads from it any more.
                _ = try database.checkpoint(.truncate)
            }
        } catch SQLiteHTTPCacheError.damaged {
            // It was put aside with all that was in it, and another one is open.
            place.removeSetAside()
        } catch SQLiteHTTPCacheError.failed(let path, let underlying) {
            // On a full disk there is no room to write that everything is gone, and removing it is what makes some.
            // That is no loss, whoever is the first to find the file gone.
            state.withLock { $0.isLossTold = true }
            guard place.removeFiles() else {
                state.withLock { $0.isLossTold = false }
                throw SQLiteHTTPCacheError.failed(path: path, underlying: underlying)
            }
            _ = try await current()
        }
    }

    /// Removes an entry that is damaged, and tells it.
    func drop(_ id: HTTPCacheEntry.ID, from cache: OpenedHTTPCache, reason: String) async {
        // What cannot be removed now is found again the next time.
        guard (try? await write(to: cache, { try $0.remove([id]) })) != nil else { return }
        onLoss(.response(id: id, reason: reason))
    }

    /// Removes an entry that nobody sees, some time soon.
    func discardLater(_ id: HTTPCacheEntry.ID) {
        state.withLock(\.cache).discardLater(id)
    }

    private func use<Value: Sendable>(
        _ cache: OpenedHTTPCache,
        isStoring: Bool = false,
        _ body: @escaping @Sendable (Database, HTTPCacheTables) throws -> Value
    ) async throws -> Value {
        do {
            return try await cache.write(isStoring: isStoring, body)
        } catch let error as DatabaseError where error.isDamage {
            _ = try await another(than: cache, because: error)
            throw place.mapped(error)
        } catch {
            throw place.mapped(error)
        }
    }

    /// Opens what is at the place now; all who need that wait for one opening.
    ///
    /// - Parameter error: Why the file has to be put aside, if it is still at the place.
    private func another(
        than cache: OpenedHTTPCache,
        because error: DatabaseError? = nil
    ) async throws -> OpenedHTTPCache {
        let opening: Task<OpenedHTTPCache, any Error>? = state.withLock { state in
            guard state.cache === cache else { return nil }
            let opening = state.opening ?? Task { try await self.open(inPlaceOf: cache, because: error) }
            state.opening = opening
            return opening
        }
        return try await opening?.value ?? state.withLock(\.cache)
    }

    private func open(inPlaceOf cache: OpenedHTTPCache, because error: DatabaseError?) async throws -> OpenedHTTPCache {
        do {
            let new = try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    var losses: [SQLiteHTTPCacheLoss] = []
                    let result = Result {
                        try patience.use {
                            try OpenedHTTPCache.open(place, waiting: $0, inPlaceOf: cache, because: error, &losses)
                        }
                    }
                    tell(losses)
                    continuation.resume(with: result)
                }
            }
            state.withLock { $0 = State(cache: new) }
            return new
        } catch {
            state.withLock { $0.opening = nil }
            throw error
        }
    }

    /// Tells what was lost, once: what was put aside before is not there any more.
    private func tell(_ losses: [SQLiteHTTPCacheLoss]) {
        let wasTold = state.withLock { state in
            defer { state.isLossTold = state.isLossTold || !losses.isEmpty }
            return state.isLossTold
        }
        for loss in losses where !wasTold || loss != .file(path: path) { onLoss(loss) }
    }
}
