import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing

/// Tests of everything that could hide a write or a read from the tracking.
@Suite(.timeLimit(.minutes(5)))
struct TrackingFaultTests {
    private let titles = Select("SELECT title FROM talk ORDER BY id")
    private let rename = "UPDATE talk SET title = 'Trio' WHERE id = 1"

    @Test func `a write of another connection is noticed after the interval`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("talks.sqlite")
        let world = try TrackedWorld(DatabasePool(path: path))
        let dispatcher = try world.caching()
        let before = try await dispatcher.dispatch(titles)
        // Own writes are not taken for others.
        try await dispatcher.dispatch(Execute("UPDATE room SET seats = 1"))
        #expect(await world.clock.nextSleeper() == Duration.milliseconds(100))
        world.clock.advance(by: .milliseconds(100))
        #expect(await world.clock.nextSleeper() == Duration.milliseconds(100))
        #expect(dispatcher.cache.peek(titles) == before)
        try await DatabaseQueue(path: path).write { [rename] in try $0.execute(sql: rename) }
        world.clock.advance(by: .milliseconds(100))
        #expect(await world.clock.nextSleeper() == Duration.milliseconds(100))
        #expect(dispatcher.cache.peek(titles) == nil)
        #expect(try await dispatcher.dispatch(titles) != before)
    }

    @Test func `a commit that another observer refuses changes nothing, and the next one is noticed`() async throws {
        final class Refusing: TransactionObserver {
            let isRefusing = Mutex(true)

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws { if isRefusing.withLock(\.self) { throw CancellationError() } }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let world = try TrackedWorld()
        let refusing = Refusing()
        world.pool.add(transactionObserver: refusing)
        let dispatcher = try world.caching()
        let before = try await dispatcher.dispatch(titles)
        await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(Execute(rename)) }
        #expect(dispatcher.cache.peek(titles) == before)
        refusing.isRefusing.withLock { $0 = false }
        try await dispatcher.dispatch(Execute(rename))
        #expect(dispatcher.cache.peek(titles) == nil)
    }

    @Test func `a closed database is an error and no crash`() async throws {
        let folder = try TemporaryDirectory()
        let world = try TrackedWorld(DatabasePool(path: folder.path("talks.sqlite")))
        let dispatcher = try world.caching()
        _ = try await dispatcher.dispatch(titles)
        #expect(await world.clock.nextSleeper() == Duration.milliseconds(100))
        try world.pool.close()
        world.clock.advance(by: .milliseconds(100))
        #expect(await world.clock.nextSleeper() == Duration.milliseconds(100))
        await #expect(throws: DatabaseError.self) { try await dispatcher.dispatch(Execute(rename)) }
        await #expect(throws: DatabaseError.self) { try await dispatcher.read(titles, .fresh) }
        await #expect(throws: DatabaseError.self) {
            try await world.database.writeWithoutTransaction { try $0.execute(sql: "UPDATE talk SET stars = 1") }
        }
    }

    @Test func `a write by a function of SQLite is noticed`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        _ = try await dispatcher.dispatch(titles)
        try await world.pool.write { [rename] db in
            _ = unsafe sqlite3_exec(db.sqliteConnection, rename, nil, nil, nil)
        }
        #expect(dispatcher.cache.peek(titles) == nil)
    }

    @Test func `a write that is only announced is noticed`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        _ = try await dispatcher.dispatch(titles)
        try await world.pool.write { try $0.notifyChanges(in: Table("talk")) }
        #expect(dispatcher.cache.peek(titles) == nil)
    }

    @Test func `an attached database is not tracked`() async throws {
        let folder = try TemporaryDirectory()
        let other = folder.path("other.sqlite")
        try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        try await world.pool.writeWithoutTransaction { try $0.execute(sql: "ATTACH '\(other)' AS other") }
        let query = Select("SELECT text FROM other.note")
        _ = try await dispatcher.dispatch(query)
        #expect(dispatcher.cache.peek(query) == nil)
    }

    @Test func `a view of the connection is followed when it changes`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let query = Select("SELECT * FROM chosen")
        for (view, write) in [
            ("SELECT title FROM talk", rename),
            ("SELECT name FROM room", "UPDATE room SET name = 'green' WHERE id = 1"),
        ] {
            try await dispatcher.dispatch(Execute("DROP VIEW IF EXISTS chosen; CREATE TEMP VIEW chosen AS \(view)"))
            let before = try await dispatcher.dispatch(query)
            #expect(dispatcher.cache.peek(query) == before)
            try await dispatcher.dispatch(Execute(write))
            #expect(dispatcher.cache.peek(query) == nil)
        }
    }

    @Test func `the trace of the program sees the statements of tracked accesses`() async throws {
        let seen = Mutex<[String]>([])
        let world = try TrackedWorld { event in seen.withLock { $0.append("\(event)") } }
        let dispatcher = try world.caching()
        _ = try await dispatcher.dispatch(titles)
        #expect(seen.withLock(\.self).contains(titles.sql))
    }

    // MARK: Stores

    @Test func `a value from the store follows writes of its launch, and is stale in the next one`() async throws {
        let store = InMemoryCacheStore()
        let world = try TrackedWorld()
        func launch() throws -> CachingDispatcher {
            let memory = CacheMemory.memory(limit: .entries(1)).backed(by: store)
            return try world.handlers.caching(in: memory, tracking: world.database, now: world.date.now) {
                Cache(Select.self, .untilInvalidated.staleIfError(.seconds(60))).stored(version: 1)
            }
        }
        let seats = Select("SELECT seats FROM room")
        var dispatcher = try launch()
        let value = try await dispatcher.dispatch(titles)
        try await dispatcher.cache.flush()
        _ = try await dispatcher.dispatch(seats)
        try await dispatcher.cache.flush()
        // It has left the memory.
        #expect(dispatcher.cache.peek(titles) == nil)
        var result = try await dispatcher.read(titles, .cacheOnly)
        #expect(result.value == value && !result.isStale)
        _ = try await dispatcher.read(seats, .cacheOnly)
        try await dispatcher.dispatch(Execute(rename))
        result = try await dispatcher.read(titles, .cacheOnly)
        #expect(result.isStale)
        dispatcher = try launch()
        result = try await dispatcher.read(seats, .cacheOnly)
        #expect(result.isStale)
    }
}
