import Duet
import DuetCaching
import DuetContracts
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import TestSupport
import Testing

/// Stores and processes that share one file, and processes that are killed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteCacheSharingTests {
    private let directory: TemporaryDirectory
    private let path: String
    /// The number of processes that are killed.
    private let rounds = faultRounds

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test func `a damaged file is not renamed while a store has it open, and is by the next one`() async throws {
        let losses = Losses()
        var subjects: [CacheStoreSubject] = []
        for _ in 1...4 {
            subjects.append(CacheStoreSubject(try await SQLiteCacheStore.open(path, onLoss: losses.add)))
        }
        try await subjects[0].insert(9)
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE value") }

        for subject in subjects {
            await #expect(throws: SQLiteStoreError.self) { try await subject.insert(1) }
        }

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteCacheStore(path: path, busyTimeout: .milliseconds(30))
        }
        guard case .damaged(path, reason: _) = try #require(error) else {
            Issue.record("expected damaged, found \(String(describing: error))")
            return
        }
        #expect(losses.all.isEmpty)
        subjects = []

        let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path, onLoss: losses.add))

        #expect(losses.all.map(\.isOfDatabase) == [true])
        try await subject.expect(subject.insert(1), for: CacheStoreSubject.key(1))
    }

    @Test func `a damaged file that another process uses stays, until that process ends`() async throws {
        let other = try ReportingProcess("StoreWriter", ["open", path, "2"])
        #expect(try other.wait(forSteps: 1))
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE state") }
        let next = path + ".next"
        try FileManager.default.createSymbolicLink(atPath: next, withDestinationPath: path)

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteCacheStore(path: next, busyTimeout: .milliseconds(30))
        }

        guard case .damaged(path, reason: _) = try #require(error) else {
            Issue.record("expected damaged, found \(String(describing: error))")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
        try other.finish()
        #expect(other.kill() == 0, "it has lost nothing")
    }

    @Test(arguments: 1...3)
    func `processes that open a damaged file at the same time set it aside once, and all use the new one`(
        round: Int
    ) async throws {
        do { try await CacheStoreSubject(SQLiteCacheStore.open(path)).insert(9) }
        let damaging = try DatabaseQueue.other(at: path)
        try await damaging.write { try $0.execute(sql: "DROP TABLE state") }
        // No process begins before all have started.
        try await damaging.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let processes = try (1...6).map { try ReportingProcess("StoreWriter", ["open", path, "\($0)"]) }

        try damaging.close()

        for process in processes { #expect(try process.wait(forSteps: 1)) }
        for process in processes { try process.finish() }
        #expect(
            processes.reduce(0) { $0 + $1.kill() } == 1,
            "one has lost what was there, and none what came after it"
        )
        #expect(try await StoreFile.number("SELECT epoch FROM value", at: path + ".unreadable") == 9)
        let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path))
        for number in 1...6 {
            let value = CacheStoreSubject.value(number, count: [10, 100_000, 700_000][number % 3])
            try await subject.expect(value, for: CacheStoreSubject.key(number))
        }
    }

    @Test func `values of another process are found and removed while it stores`() async throws {
        let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path))
        let other = try ReportingProcess("StoreWriter", ["values", path, "1", "\(Int.max)"])
        for _ in 1...5 {
            try #require(try other.wait(forSteps: 3))
            for number in 0..<10 { try await checkValue(of: number, in: subject) }
            try await subject.markStale(.tag("all"))
        }
        other.kill()
        for key in try await subject.keys(ofQuery: "Store.Sample") { try await subject.store.remove([key]) }
        try await OpenedCacheStore.checkTables(at: path)
    }

    @Test func `caches of one file keep stale values, and store none as fresh that began before a command`()
        async throws
    {
        let spy = SpyDispatcher()
        let gate = Gate()
        spy.stub(LoadItems.self) { query in
            if query.isHeld { try await gate.pass() }
            return ["old"]
        }
        spy.stub(ChangeItems.self)
        func open() async throws -> CachingDispatcher {
            let store = try await SQLiteCacheStore.open(path)
            return try spy.caching(in: .stored(in: store)) {
                Cache(LoadItems.self, .maxAge(.hours(1)).staleIfError(.days(1))).stored(version: 1)
                Invalidate(LoadItems.self, after: ChangeItems.self)
            }
        }
        let (first, second) = (try await open(), try await open())
        _ = try await first.dispatch(LoadItems())
        try await first.cache.flush()
        let load = Task { try await first.dispatch(LoadItems(isHeld: true)) }
        await gate.arrivals(1)
        try await second.dispatch(ChangeItems())
        gate.open()
        _ = try await load.value
        try await first.cache.flush()

        spy.stub(LoadItems.self, throwing: SpyFailure())
        for isHeld in [false, true] {
            let result = try await open().read(LoadItems(isHeld: isHeld))
            #expect(result.value == ["old"])
            #expect(result.isStale)
        }
    }

    @Test func `a tag in the file is found in another form of Unicode`() async throws {
        let spy = SpyDispatcher()
        spy.stub(LoadItems.self) { _ in ["old"] }
        spy.stub(ChangeItems.self)
        for (tag, other) in [("Ren\u{E9}", "Rene\u{301}"), ("Rene\u{301}", "Ren\u{E9}")] {
            let store = try await SQLiteCacheStore.open(path)
            let dispatcher = try spy.caching(in: .stored(in: store)) {
                Cache(LoadItems.self, .untilInvalidated, tags: { _ in [tag] }).stored(version: 1)
                Invalidate(tag: other, after: ChangeItems.self)
            }
            _ = try await dispatcher.dispatch(LoadItems())
            try await dispatcher.cache.flush()
            #expect(try await CacheStoreSubject(store).keys(ofQuery: LoadItems.messageName).count == 1)
            try await dispatcher.dispatch(ChangeItems())
            #expect(try await CacheStoreSubject(store).keys(ofQuery: LoadItems.messageName) == [])
        }
    }

    private struct LoadItems: Query, Hashable, Codable {
        typealias Value = [String]
        var isHeld = false
    }

    private struct ChangeItems: Command {}

    private struct SpyFailure: Error {}

    @Test func `killed at any moment between two statements, a process leaves whole values`() async throws {
        var last = 0
        for round in 1...max(1, rounds) {
            // A few statements belong to the opening.
            let statement = 5 + (round * 11) % 300
            let writer = try ReportingProcess("StoreWriter", ["values", path, "\(last + 1)", "\(statement)"])
            try writer.finish()
            let reported = last + writer.kill()
            let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path) { Issue.record("\($0)") })
            var found: [Int] = []
            for number in 0..<10 {
                if let epoch = try await checkValue(of: number, in: subject) { found.append(epoch) }
            }
            try await OpenedCacheStore.checkTables(at: path)
            last = reported
            // The reported values are stored, unless removals for the next value came first.
            guard !(reported + 1).isMultiple(of: 5), !(reported + 1).isMultiple(of: 7), reported > 0 else { continue }
            #expect((reported...reported + 1).contains(found.max() ?? -1), "statement \(statement)")
        }
    }

    /// Checks that the value of a key is one that the process stores there, and returns its number.
    @discardableResult
    private func checkValue(of number: Int, in subject: CacheStoreSubject) async throws -> Int? {
        guard let value = try await subject.store.value(for: CacheStoreSubject.key(number)) else { return nil }
        let stored = value.epoch
        #expect(stored % 10 == number)
        let expected = CacheStoreSubject.value(
            stored,
            count: stored % 3 * 20_000,
            tags: ["tag \(stored % 2)", "all"]
        )
        #expect(value == expected)
        return stored
    }
}
