import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Testing

@Suite(.serialized) struct SQLiteHTTPCacheKillTests {
    private let directory: TemporaryDirectory
    private let path: String
    /// How often the program is killed: `DUET_FAULT_ROUNDS`, or 25.
    private let rounds = ProcessInfo.processInfo.environment["DUET_FAULT_ROUNDS"].flatMap { Int($0) } ?? 25

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test(arguments: [8_000_000, 3_000_000] as [Int64])
    func `killed at any moment, it leaves whole responses`(capacity: Int64) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var last = -1
        for round in 1...max(1, rounds) {
            let writer = try ReportingProcess("HTTPCacheWriter", ["store", path, "\(last + 1)", "\(capacity)"])
            let steps = Int.random(in: 1...12, using: &generator)
            try #require(try writer.wait(forSteps: steps), "the writer ended by itself (seed \(seed), round \(round))")
            spin(Int.random(in: 0...400_000, using: &generator))
            let reported = last + steps + writer.kill()
            do {
                last = try await check(reported: reported, capacity: capacity)
            } catch {
                throw ContractViolation("seed \(seed), round \(round): \(error)")
            }
        }
    }

    @Test func `killed at any moment while it puts a damaged file aside, it leaves what the next one can begin with`()
        async throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 1...max(1, rounds) {
            try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path)).insert(9, OpenedStore.bytes)
            try await OpenedStore.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE state") }
            let opener = try ReportingProcess("HTTPCacheWriter", ["open", path, "1"])
            spin(Int.random(in: 0...1_500_000, using: &generator))
            opener.kill()
            do {
                let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
                try await subject.expect([], for: HTTPCacheStoreSubject.key(9))
                for entry in try await subject.store.entries(for: HTTPCacheStoreSubject.key(1)) {
                    try await subject.expect(body: HTTPCacheStoreSubject.bytes(1, count: 300_000), of: entry.id)
                }
                try await subject.insert(2, OpenedStore.bytes)
                try await checkTables()
            } catch {
                throw ContractViolation("seed \(seed), round \(round): \(error)")
            }
        }
    }

    /// Checks that every response is whole, and that none is missing that was reported as stored.
    private func check(reported: Int, capacity: Int64) async throws -> Int {
        let store = try SQLiteHTTPCacheStore(path: path, capacity: capacity) { Issue.record("\($0)") }
        let subject = HTTPCacheStoreSubject(store)
        var numbers: [Int] = []
        for key in (0..<20).map({ HTTPCacheStoreSubject.key($0) }) {
            let entries = try await store.entries(for: key)
            guard entries.count <= 1 else { throw ContractViolation("\(entries.count) responses instead of one") }
            for entry in entries {
                let tag = entry.response.response.headerFields[.eTag] ?? ""
                guard let number = Int(tag.dropFirst().dropLast()) else { throw ContractViolation("tag \(tag)") }
                let count = [10, 100_000, 700_000][number % 3]
                try await subject.expect(body: HTTPCacheStoreSubject.bytes(number, count: count), of: entry.id)
                numbers.append(number)
            }
        }
        let found = numbers.max() ?? -1
        // Everything may have been removed, and the next one not stored yet.
        if numbers.isEmpty, (reported + 1).isMultiple(of: 7) {
            try await checkTables()
            return reported
        }
        // One more may have been stored and not yet reported.
        guard reported...reported + 1 ~= found else {
            throw ContractViolation("\(reported) was stored, found \(found)")
        }
        try await checkTables()
        return found
    }

    private func checkTables() async throws {
        let other = try DatabaseQueue.other(at: path)
        defer { try? other.close() }
        try await other.read { database in
            try expect(String.fetchOne(database, sql: "PRAGMA integrity_check"), toBe: "ok", "the database")
            let unfinished = try Int.fetchOne(database, sql: "SELECT count(*) FROM entry WHERE head IS NULL")
            try expect(unfinished, toBe: 0, "unfinished responses")
            let orphans = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM piece WHERE id >> 20 NOT IN (SELECT id FROM entry)"
            )
            try expect(orphans, toBe: 0, "rows of no response")
            let difference = try Int.fetchOne(
                database,
                sql: "SELECT size - (SELECT coalesce(sum(size), 0) FROM entry) FROM state"
            )
            try expect(difference, toBe: 0, "the difference between the size and that of what is there")
        }
    }

    /// Lets a little time pass that no clock needs to measure.
    private func spin(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        for _ in 0..<count { _ = generator.next() }
    }
}
