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
        let subject = CacheStoreSubject(try SQLiteCacheStore(path: path))
        for number in 0..<6 {
            try await subject.expect(CacheStoreSubject.value(number), for: CacheStoreSubject.key(number))
        }
    }

    @Test func `stores that find their file damaged at the same time all use the new one`() async throws {
        let losses = Losses()
        let subjects = try (1...4).map { _ in
            CacheStoreSubject(try SQLiteCacheStore(path: path, busyTimeout: .seconds(20), onLoss: losses.add))
        }
        try await subjects[0].insert(9)
        try await OpenedStore.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE value") }

        await withTaskGroup(of: Void.self) { group in
            for subject in subjects {
                group.addTask {
                    _ = await #expect(throws: SQLiteCacheError.self) { try await subject.insert(1) }
                }
            }
        }

        #expect(losses.all.count == 1)
        for (number, subject) in subjects.enumerated() { try await subject.insert(number) }
        for subject in subjects { try await subject.expect(numbers: 0..<4, of: 0..<10) }
    }

    @Test func `values of another process are found and removed while it stores`() async throws {
        let subject = CacheStoreSubject(try SQLiteCacheStore(path: path))
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
            let subject = CacheStoreSubject(try SQLiteCacheStore(path: path) { Issue.record("\($0)") })
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
