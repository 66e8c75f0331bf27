import DuetContracts
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Testing

/// Processes that are killed while they store: between two of their statements, and from outside at any moment.
@Suite(.serialized) struct SQLiteHTTPCacheKillTests {
    private let directory: TemporaryDirectory
    private let path: String
    /// The number of processes that are killed.
    private let rounds = faultRounds

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test(arguments: [8_000_000, 3_000_000] as [Int64])
    func `killed at any moment between two statements, it leaves whole responses`(capacity: Int64) async throws {
        var last = -1
        for round in 1...max(1, rounds) {
            // A few belong to the opening; those of one response are next to each other.
            let statement = 7 + (round * 11) % 600
            let arguments = ["store", path, "\(last + 1)", "\(capacity)", "\(statement)"]
            let writer = try ReportingProcess("HTTPCacheWriter", arguments)
            try writer.finish()
            last = try await checked("statement \(statement)") {
                try await check(reported: last + writer.kill(), capacity: capacity)
            }
        }
    }

    @Test(arguments: [8_000_000, 3_000_000] as [Int64])
    func `killed at any moment from outside, it leaves whole responses`(capacity: Int64) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var last = -1
        for round in 1...max(1, rounds) {
            let arguments = ["store", path, "\(last + 1)", "\(capacity)", "\(Int.max)"]
            let writer = try ReportingProcess("HTTPCacheWriter", arguments)
            let steps = Int.random(in: 1...12, using: &generator)
            // It continues while this process reads its output, so the signal arrives during one of the next responses.
            try #require(try writer.wait(forSteps: steps), "the writer ended by itself (seed \(seed), round \(round))")
            let reported = last + steps + writer.kill()
            last = try await checked("seed \(seed), round \(round)") {
                try await check(reported: reported, capacity: capacity)
            }
        }
    }

    private func checked(_ name: String, _ check: () async throws -> Int) async throws -> Int {
        do {
            let last = try await check()
            try await waitUntilClosed()
            return last
        } catch {
            throw ContractViolation("\(name): \(error)")
        }
    }

    /// Waits until the store of the check has released the file: only a store that is alone removes pieces that a
    /// killed process has left.
    private func waitUntilClosed() async throws {
        let lock = try FileHandle(forReadingFrom: URL(filePath: path + ".lock"))
        defer { try? lock.close() }
        while flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) != 0 { await Task.yield() }
    }

    /// Checks that every response is whole, and that no response is missing that was reported as stored.
    private func check(reported: Int, capacity: Int64) async throws -> Int {
        let store = try await SQLiteHTTPCacheStore(path: path, capacity: capacity) { Issue.record("\($0)") }
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
            let orphans = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM piece WHERE entry NOT IN (SELECT id FROM entry)"
            )
            try expect(orphans, toBe: 0, "pieces of no response")
            let difference = try Int.fetchOne(
                database,
                sql: "SELECT size - (SELECT coalesce(sum(size), 0) FROM entry) FROM state"
            )
            try expect(difference, toBe: 0, "the difference between the size and that of the entries")
        }
    }
}
