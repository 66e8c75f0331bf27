import DuetCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
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

    @Test func `stores that create a file at the same time all find its tables`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { [path] in
                    try await CacheStoreSubject(SQLiteCacheStore(path: path)).insert(number)
                }
            }
            try await group.waitForAll()
        }
        let subject = CacheStoreSubject(try await SQLiteCacheStore(path: path))
        for number in 0..<6 {
            try await subject.expect(CacheStoreSubject.value(number), for: CacheStoreSubject.key(number))
        }
    }

    @Test func `a damaged file is not renamed while a store has it open, and is by the next one`() async throws {
        let losses = Losses()
        var subjects: [CacheStoreSubject] = []
        for _ in 1...4 {
            subjects.append(CacheStoreSubject(try await SQLiteCacheStore(path: path, onLoss: losses.add)))
        }
        try await subjects[0].insert(9)
        try await OpenedStore.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE value") }

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

        let subject = CacheStoreSubject(try await SQLiteCacheStore(path: path, onLoss: losses.add))

        #expect(losses.all.map(\.isOfDatabase) == [true])
        try await subject.expect(subject.insert(1), for: CacheStoreSubject.key(1))
    }

    @Test func `values of another process are found and removed while it stores`() async throws {
        let subject = CacheStoreSubject(try await SQLiteCacheStore(path: path))
        let other = try ReportingProcess("HTTPCacheWriter", ["values", path, "1", "\(Int.max)"])
        for _ in 1...5 {
            try #require(try other.wait(forSteps: 3))
            for number in 0..<10 { try await checkValue(of: number, in: subject) }
            try await subject.store.removeAll(tagged: "all")
        }
        other.kill()
        for key in try await subject.store.keys(ofQuery: "Store.Sample") { try await subject.store.remove([key]) }
        try await OpenedCacheStore.checkTables(at: path)
    }

    @Test func `killed between two statements, a process leaves whole values`() async throws {
        var last = 0
        for round in 1...max(1, rounds) {
            // A few statements belong to the opening.
            let statement = 5 + (round * 11) % 300
            let writer = try ReportingProcess("HTTPCacheWriter", ["values", path, "\(last + 1)", "\(statement)"])
            try writer.finish()
            let reported = last + writer.kill()
            let subject = CacheStoreSubject(try await SQLiteCacheStore(path: path) { Issue.record("\($0)") })
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
