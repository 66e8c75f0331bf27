import DuetContracts
import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import Testing

/// Responses and databases that cannot be read anymore.
@Suite(.serialized) struct SQLiteHTTPCacheDamageTests {
    private let scene: OpenedStore
    private var subject: HTTPCacheStoreSubject { scene.subject }
    private var losses: Losses { scene.losses }
    private var path: String { scene.path }
    private let bytes = OpenedStore.bytes

    init() async throws {
        scene = try await OpenedStore()
    }

    @Test(arguments: [
        "head = x'00'", "head = ''", "head = '{}'", "head = substr(head, 1, length(head) - 1)",
        "head = CAST('{\"method\":\"GET\"}' AS BLOB)",
    ])
    func `a head that cannot be decoded is removed and reported, and the others stay`(change: String) async throws {
        let damaged = try await subject.insert(1, bytes)
        let other = try await subject.insert(2, bytes, for: HTTPCacheStoreSubject.key(1))
        try await scene.inDatabase { try $0.execute(sql: "UPDATE entry SET \(change) WHERE id = \(damaged.id)") }

        for _ in 0..<2 { try await subject.expect([other], for: HTTPCacheStoreSubject.key(1)) }

        #expect(losses.all.count == 1)
        guard case .response(damaged.id, reason: _) = try #require(losses.all.first) else {
            Issue.record("expected response, found \(losses.all)")
            return
        }
        #expect(!"\(losses.all)".contains("store.invalid"))
        try await subject.expect(body: nil, of: damaged.id)
    }

    @Test(arguments: [
        "DELETE FROM piece WHERE number = 0", "UPDATE piece SET bytes = x'01' WHERE number = 0",
        "UPDATE piece SET bytes = 'text' WHERE number = 0", "UPDATE entry SET length = 7",
        "UPDATE entry SET length = -1", "UPDATE entry SET length = \(Int64.max)",
    ])
    func `a body whose pieces do not add up to its length is not served`(change: String) async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: change) }

        if let body = try await subject.store.body(of: entry.id, in: nil) {
            await #expect(throws: SQLiteStoreError.self) { for try await _ in body {} }
        }

        try await subject.expect([], for: HTTPCacheStoreSubject.key(1))
        #expect(losses.all.count == 1)
    }

    @Test(arguments: ["DELETE FROM piece WHERE number = 2", "UPDATE piece SET bytes = x'01' WHERE number = 1"])
    func `a body with damage in a later piece ends with an error`(change: String) async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: change) }

        let body = try #require(try await subject.store.body(of: entry.id, in: nil))
        await #expect(throws: SQLiteStoreError.self) { for try await _ in body {} }
        #expect(try await subject.body(of: entry.id) == nil)
    }

    @Test(arguments: [
        "UPDATE entry SET length = 'seven'", "UPDATE entry SET head = 7", "UPDATE state SET size = 'seven'",
    ])
    func `a value of another type is damage, and ends no process`(change: String) async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: change) }

        _ = try? await subject.store.entries(for: HTTPCacheStoreSubject.key(1))
        _ = try? await subject.store.body(of: entry.id, in: nil)
        _ = try? await subject.store.size()

        try await expectNew()
    }

    @Test func `a second damaged file replaces the first one that was renamed`() async throws {
        var scene = scene
        for round in 1...3 {
            try await scene.subject.insert(round, bytes)
            try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }
            scene = try await scene.restarted()
            #expect(losses.all.count == round)
            try await OpenedStore.inDatabase(at: scene.path + ".unreadable") {
                let uri = try String.fetchOne($0, sql: "SELECT uri FROM entry")
                #expect(uri == HTTPCacheStoreSubject.key(round).uri)
            }
        }
    }

    @Test func `an entry that cannot be evicted is damage`() async throws {
        let path = scene.path + ".small"
        let small = HTTPCacheStoreSubject(
            try await SQLiteHTTPCacheStore(path: path, capacity: 50_000, onLoss: losses.add)
        )
        try await OpenedStore.inDatabase(at: path) {
            try $0.execute(sql: "CREATE TRIGGER kept BEFORE DELETE ON entry BEGIN SELECT RAISE(IGNORE); END")
        }
        await #expect(throws: SQLiteStoreError.self) {
            for number in 1...9 { try await small.insert(number, bytes.prefix(10_000)) }
        }
        let next = scene.path + ".next"
        try OpenedStore.copyFiles(from: path, to: next)
        let again = HTTPCacheStoreSubject(
            try await SQLiteHTTPCacheStore(path: next, capacity: 50_000, onLoss: losses.add)
        )
        #expect(losses.all.count == 1)
        for number in 1...9 { try await again.insert(number, bytes.prefix(10_000)) }
        #expect(try await again.store.size() <= 50_000)
    }

    @Test func `clearing a damaged database leaves no part of it`() async throws {
        try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE piece") }
        try await subject.store.removeAll()
        #expect(losses.all.isEmpty)
        #expect(!scene.isSetAside)
        let new = try await subject.insert(3, bytes)
        try await subject.expect(body: bytes, of: new.id)
    }

    /// Expects that nothing is renamed while the file is open, and that the next start does it once.
    @discardableResult
    private func expectNew() async throws -> OpenedStore {
        #expect(losses.all.isEmpty)
        #expect(!scene.isSetAside)
        let next = try await scene.restarted()
        #expect(losses.all.map(\.isOfDatabase) == [true])
        #expect(next.isSetAside)
        let new = try await next.subject.insert(3, bytes)
        try await next.subject.expect(body: bytes, of: new.id)
        return next
    }

    @Test func `garbage in the middle of the file does not stop the cache`() async throws {
        for number in 1...9 { try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 200_000)) }
        try await scene.inDatabase { _ = try $0.checkpoint(.truncate) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = try file.seekToEnd()
        // Every tenth page, so that heads, indexes, and the chains of bodies are hit; the first stays as it is.
        for page in stride(from: 4_096 * 3, to: size, by: 4_096 * 10) {
            try file.seek(toOffset: page)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 4_096))
        }
        try file.close()
        // A commit of another connection makes the store read the pages again.
        try await scene.inDatabase { try? $0.execute(sql: "UPDATE state SET counter = counter + 1") }

        for number in 1...9 {
            let entries = try? await subject.store.entries(for: HTTPCacheStoreSubject.key(number))
            for entry in entries ?? [] {
                // To its end, or to an error: SQLite does not notice other bytes within a page.
                guard let found = try? await subject.body(of: entry.id) else { continue }
                #expect(found.count == 200_000)
            }
        }
        for _ in 1...2 { _ = try? await subject.insert(1, bytes) }
        let next = try await scene.restarted()
        let new = try await next.subject.insert(2, bytes)
        try await next.subject.expect(body: bytes, of: new.id)
        #expect(!losses.all.isEmpty)
    }
}
