import DuetCaching
import DuetContracts
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Testing

/// Statements that fail, full disks, and locks.
@Suite(.serialized) struct SQLiteCacheFaultTests {
    /// A change, with the values of ``store(_:)`` that remain after it.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let left: [Int]
        let body: @Sendable (CacheStoreSubject) async throws -> Void
    }

    static let changes = [
        Change(testDescription: "insert", left: [2, 3, 4, 5]) { try await $0.insert(5, tags: ["new"]) },
        Change(testDescription: "replace", left: [1, 2, 3, 4]) {
            try await $0.insert(2, count: 50_000, tags: ["even", "a"])
        },
        Change(testDescription: "remove", left: [1, 4]) {
            try await $0.store.remove([2, 3].map { CacheStoreSubject.key($0) })
        },
        Change(testDescription: "markStale(.query)", left: []) {
            try await $0.markStale(.query(name: "Store.Sample"))
        },
        Change(testDescription: "markStale(.tag)", left: [1, 3]) { try await $0.markStale(.tag("even")) },
        Change(testDescription: "removeExpired(at:)", left: [2, 3, 4]) {
            try await $0.store.removeExpired(at: .distantFuture)
        },
        Change(testDescription: "removeAll()", left: []) { try await $0.store.removeAll() },
    ]

    @Test(arguments: changes)
    func `whichever statement fails, a change is made completely or not at all`(change: Change) async throws {
        var failureCount = 0
        for number in 1... {
            let interruption = Interruption()
            let opened = try await OpenedCacheStore(limit: .init(entries: 4), interruption: interruption)
            let before = try await store(opened.subject)

            interruption.arm(at: number)
            let result = await Result { try await change.body(opened.subject) }
            let isReached = interruption.isDone
            interruption.arm(at: nil)

            try await opened.checkTables()
            var left: [Int] = []
            for number in 1...5 where try await opened.store.value(for: CacheStoreSubject.key(number)) != nil {
                left.append(number)
            }
            switch result {
            case .success: #expect(left == change.left, "statement \(number)")
            case .failure(let error):
                failureCount += 1
                #expect(error is SQLiteStoreError, "statement \(number)")
                #expect(left == before, "statement \(number)")
            }
            try await change.body(opened.subject)
            try await opened.subject.expect(numbers: change.left, of: 1...5)
            #expect(opened.losses.all == [])
            guard isReached else {
                // Everything is removed in one step, without a statement that can be interrupted.
                #expect((failureCount >= 2 && number > 3) || change.testDescription == "removeAll()")
                return
            }
        }
    }

    @Test func `a reading statement that fails is an error, and the next one finds the value`() async throws {
        let interruption = Interruption()
        let opened = try await OpenedCacheStore(interruption: interruption)
        let value = try await opened.subject.insert(1)
        try await opened.subject.expect(value, for: CacheStoreSubject.key(1))
        for read in [
            { _ = try await opened.store.value(for: CacheStoreSubject.key(1)) },
            { _ = try await opened.store.stamp(for: value.writer) },
            { _ = try await opened.store.size() },
        ] as [@Sendable () async throws -> Void] {
            interruption.arm(at: 1)
            let error = await #expect(throws: SQLiteStoreError.self) { try await read() }
            guard case .failed = error else {
                Issue.record("expected failed, found \(String(describing: error))")
                continue
            }
            try await read()
        }
        try await opened.subject.expect(value, for: CacheStoreSubject.key(1))
    }

    @Test(arguments: 0...30)
    func `wherever the disk is full, old values are whole and new ones are not stored`(pages: Int) async throws {
        let opened = try await OpenedCacheStore()
        let old = try await opened.subject.insert(1, count: 100_000, tags: ["tag"])
        let full = try await DatabaseFile.$prepareConnection.withValue({ database in
            let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(count + pages)")
        }) { try await SQLiteCacheStore.open(opened.path) }
        // The room of the replaced value is used first.
        let value = CacheStoreSubject.value(2, count: 800_000, tags: ["other"])

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await full.insert(value, for: CacheStoreSubject.key(1))
        }

        guard case .failed(opened.path, let underlying) = try #require(error) else {
            Issue.record("expected failed, found \(String(describing: error))")
            return
        }
        #expect((underlying as? DatabaseError)?.resultCode == .SQLITE_FULL)
        try await opened.subject.expect(old, for: CacheStoreSubject.key(1))
        try await opened.checkTables()
        try await opened.subject.insert(2)
    }

    @Test func `a file that another process writes to is an error after the timeout, and can be read meanwhile`()
        async throws
    {
        let opened = try await OpenedCacheStore(busyTimeout: .milliseconds(30))
        try await store(opened.subject)
        let other = try DatabaseQueue.other(at: opened.path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

        for change in Self.changes {
            let error = await #expect(throws: SQLiteStoreError.self) { try await change.body(opened.subject) }
            guard case .locked(opened.path, after: .milliseconds(30)) = try #require(error) else {
                Issue.record("expected locked, found \(String(describing: error))")
                continue
            }
        }
        try await opened.subject.expect(numbers: 1...4, of: 1...5)

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        for change in Self.changes { try await change.body(opened.subject) }
        #expect(try await opened.store.size() == 0)
    }

    @Test func `tables that a newer program changes while the store is open are left unchanged`() async throws {
        let opened = try await OpenedCacheStore()
        try await store(opened.subject)
        try await opened.inDatabase {
            try $0.execute(sql: "ALTER TABLE value RENAME TO item; PRAGMA user_version = 1000")
        }

        for change in Self.changes {
            let error = await #expect(throws: SQLiteStoreError.self) {
                try await change.body(opened.subject)
                _ = try await opened.store.value(for: CacheStoreSubject.key(1))
            }
            guard case .newerFormat(opened.path, found: 1000, supported: 4) = try #require(error) else {
                Issue.record("expected newerFormat, found \(String(describing: error))")
                continue
            }
        }
        #expect(opened.losses.all.isEmpty)
        #expect(!opened.isSetAside)
    }

    @Test(arguments: [0, 50_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 6_000_000])
    func `in files that cannot grow, a process keeps its values, and with room it stores again`(limit: Int)
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        let process = try ReportingProcess("StoreWriter", ["full", path, "\(limit)"])
        #expect(try process.wait(forSteps: 1), "it did not continue: it says above why")
        #expect(try process.wait(forSteps: 1), "it did not work again: it says above why")
        try process.finish()

        let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path) { Issue.record("\($0)") })
        for number in Array(0..<3) + Array(50..<60) {
            let value = CacheStoreSubject.value(number, count: [10, 100_000, 700_000][number % 3])
            try await subject.expect(value, for: CacheStoreSubject.key(number))
        }
        try await OpenedCacheStore.checkTables(at: path)
    }

    /// Stores four values, of which the first is expired.
    @discardableResult
    private func store(_ subject: CacheStoreSubject) async throws -> [Int] {
        for number in 1...4 {
            try await subject.insert(
                number,
                usableUntil: number == 1 ? .distantPast : nil,
                tags: [number.isMultiple(of: 2) ? "even" : "odd"]
            )
        }
        return Array(1...4)
    }
}

extension Result where Failure == any Error {
    /// Runs an operation.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
