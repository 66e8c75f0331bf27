import Dispatch
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// A task that waits for a file, or for another one's work on it, leaves its thread to others.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SQLiteHTTPCacheThreadTests {
    @Test func `while the file is opened anew, the thread of who waits for it is free`() async throws {
        let scene = try OpenedStore()
        for suffix in ["", "-wal", "-shm", ".lock"] { try FileManager.default.removeItem(atPath: scene.path + suffix) }
        let others = try HeldLock(scene.path + ".lock")
        let thread = SerialTaskExecutor()

        let waiting = (1...3).map { number in
            Task(executorPreference: thread) {
                try await scene.subject.store.entries(for: HTTPCacheStoreSubject.key(number))
            }
        }
        // After them on the same thread: they would have given up before.
        await Task(executorPreference: thread) { others.release() }.value

        for task in waiting { #expect(try await task.value.isEmpty) }
        #expect(scene.losses.all == [.file(path: scene.path)], "it is opened once for all who wait")
    }

    @Test func `while others read, the thread of who waits for them is free`() async throws {
        let directory = try TemporaryDirectory()
        let reading = BlockedReads()
        let store = try SQLiteHTTPCacheStore(path: directory.path("cache.sqlite"), prepare: reading.prepare)
        reading.block()
        let others = (1...9).map { _ in Task(executorPreference: SerialTaskExecutor()) { try await store.size() } }
        // As many as read at a time, on this many processors.
        var arrivals = reading.arrivals.makeAsyncIterator()
        for _ in 0...min(8, ProcessInfo.processInfo.activeProcessorCount) { _ = await arrivals.next() }
        let thread = SerialTaskExecutor()

        let waiting = Task(executorPreference: thread) { try await store.size() }
        await Task(executorPreference: thread) { reading.release() }.value

        for task in others + [waiting] { #expect(try await task.value == 0) }
    }

    @Test func `what is locked is read by one that waits`() async throws {
        let directory = try TemporaryDirectory()
        let reading = BlockedReads()
        let store = try SQLiteHTTPCacheStore(path: directory.path("cache.sqlite"), prepare: reading.prepare)
        reading.refuse(1)

        #expect(try await store.size() == 0)

        // After a wait in vain nobody waits, until it goes again.
        for wait in [.seconds(5), .zero, .zero] as [Duration] {
            reading.refuse(2)
            let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await store.size() }
            guard case .locked(directory.path("cache.sqlite"), after: wait) = try #require(error) else {
                Issue.record("expected locked, found \(String(describing: error))")
                return
            }
        }
        #expect(try await store.size() == 0)
        reading.refuse(2)
        let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await store.size() }
        guard case .locked(_, after: .seconds(5)) = try #require(error) else {
            Issue.record("expected locked, found \(String(describing: error))")
            return
        }
    }
}

/// Makes statements that read the size of a store wait, or fail as they do when another process has the database locked.
private final class BlockedReads: Sendable {
    private struct State {
        var isBlocked = false
        var refusals = 0
    }

    /// One for each read that waits.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    init() {
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    func block() { state.withLock { $0.isBlocked = true } }

    func refuse(_ count: Int) { state.withLock { $0.refusals = count } }

    func release() {
        state.withLock { $0.isBlocked = false }
        for _ in 0..<20 { end.signal() }
    }

    @Sendable func prepare(_ database: Database) throws {
        guard database.configuration.readonly else { return }
        database.add(function: DatabaseFunction("isFree", argumentCount: 0) { _ in try self.isFree() })
        try database.execute(sql: "CREATE TEMP VIEW state AS SELECT * FROM main.state WHERE isFree()")
    }

    private func isFree() throws -> Bool {
        let (isBlocked, isRefused) = state.withLock { state in
            let isRefused = state.refusals > 0
            if isRefused { state.refusals -= 1 }
            return (state.isBlocked, isRefused)
        }
        if isRefused { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        if isBlocked {
            arrived.yield()
            // Ends a test that fails because the thread that should let it go on is the one that stands still.
            guard end.wait(timeout: .now() + 20) == .success else { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
        }
        return true
    }
}
