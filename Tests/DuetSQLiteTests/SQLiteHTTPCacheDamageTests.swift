import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// What happens to responses, and to the database, that cannot be read any more.
@Suite(.serialized) struct SQLiteHTTPCacheDamageTests {
    private let scene: OpenedStore
    private var subject: HTTPCacheStoreSubject { scene.subject }
    private var losses: Losses { scene.losses }
    private var path: String { scene.path }
    private let bytes = OpenedStore.bytes

    init() throws {
        scene = try OpenedStore()
    }

    @Test(arguments: [
        "head = x'00'", "head = ''", "head = 7", "head = '{}'", "head = substr(head, 1, length(head) - 1)",
        "head = CAST('{\"method\":\"GET\"}' AS BLOB)",
        "head = CAST(replace(CAST(substr(head, 9) AS TEXT), 'max-age=60', 'max-age=90') AS BLOB)",
        "head = substr(head, 1, 8) || CAST(replace(CAST(substr(head, 9) AS TEXT), 'max-age=60', 'max-age=90') AS BLOB)",
    ])
    func `a head that cannot be read is removed and told, and the others stay`(change: String) async throws {
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
        "DELETE FROM piece WHERE id & 0xFFFFF = 0",
        "UPDATE piece SET bytes = x'01' WHERE id & 0xFFFFF = 0",
        "UPDATE piece SET bytes = 'text' WHERE id & 0xFFFFF = 0",
        "UPDATE piece SET bytes = zeroblob(length(bytes)) WHERE id & 0xFFFFF = 0",
        "UPDATE piece SET sum = sum + 1", "UPDATE entry SET length = 7",
        "UPDATE entry SET length = -1", "UPDATE entry SET length = 'seven'",
        "UPDATE entry SET length = \(Int64.max)",
    ])
    func `a body that is not what it should be is not served`(change: String) async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: change) }

        if let body = try await subject.store.body(of: entry.id, in: nil) {
            await #expect(throws: SQLiteHTTPCacheError.self) { for try await _ in body {} }
        }

        try await subject.expect([], for: HTTPCacheStoreSubject.key(1))
        #expect(losses.all.count == 1)
    }

    @Test(arguments: [
        "DELETE FROM piece WHERE id & 0xFFFFF = 4", "UPDATE piece SET bytes = x'01' WHERE id & 0xFFFFF = 4",
        "UPDATE piece SET bytes = x'01' WHERE id & 0xFFFFF = 2",
        "UPDATE piece SET bytes = CAST(substr(bytes, 1, length(bytes) - 1) || x'00' AS BLOB) WHERE id & 0xFFFFF = 3",
    ])
    func `a body that is damaged further on ends with an error`(change: String) async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: change) }

        let body = try #require(try await subject.store.body(of: entry.id, in: nil))
        await #expect(throws: SQLiteHTTPCacheError.self) { for try await _ in body {} }

        try await subject.expect([], for: HTTPCacheStoreSubject.key(1))
        #expect(losses.all.count == 1)
    }

    @Test(arguments: ["entry", "piece", "state"])
    func `without one of its tables the database begins anew, and is told once`(table: String) async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE \(table)") }

        _ = try? await subject.insert(2, bytes)
        try await subject.expect(body: nil, of: entry.id)

        guard case .database(setAsideAt: path + ".unreadable", reason: _) = try #require(losses.all.first) else {
            Issue.record("expected database, found \(losses.all)")
            return
        }
        #expect(losses.all.count == 1)
        let new = try await subject.insert(3, bytes)
        try await subject.expect(body: bytes, of: new.id)
    }

    @Test(arguments: [
        HTTPCacheStoreSubject.key(2), HTTPCacheKey(partition: "other", uri: HTTPCacheStoreSubject.key(1).uri),
    ])
    func `a response is served under its own key alone, wherever the database leads`(key: HTTPCacheKey) async throws {
        let entry = try await subject.insert(1, bytes)
        try await subject.expect([entry], for: HTTPCacheStoreSubject.key(1))
        try await scene.inDatabase {
            try $0.execute(sql: "UPDATE entry SET uri = ?, partition = ?", arguments: [key.uri, key.partition])
        }
        for _ in 0..<2 { try await subject.expect([], for: key) }
        #expect(losses.all.count == 1)
    }

    @Test func `bytes are served as those of their own response alone`() async throws {
        let entries = [try await subject.insert(1, bytes), try await subject.insert(2, Data(bytes.reversed()))]
        let rows = entries.map { $0.id << 20 }
        try await scene.inDatabase { database in
            for (old, new) in [(rows[0], -1), (rows[1], rows[0]), (-1, rows[1])] {
                try database.execute(sql: "UPDATE piece SET id = ? WHERE id = ?", arguments: [new, old])
            }
        }
        for entry in entries { try await subject.expect(body: nil, of: entry.id) }
        #expect(losses.all.count == 2)
    }

    @Test func `without its count the database begins anew, and a wrong one is mended by clearing`() async throws {
        try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: "UPDATE state SET size = 1000000000") }
        try await subject.store.removeAll()
        #expect(try await subject.store.size() == 0)
        try await scene.inDatabase { try $0.execute(sql: "DELETE FROM state") }
        _ = try? await subject.insert(2, bytes)
        #expect(losses.all.count == 1)
        let new = try await subject.insert(3, bytes)
        try await subject.expect(body: bytes, of: new.id)
    }

    @Test func `a row that does not go, when there should be room, is damage`() async throws {
        let small = HTTPCacheStoreSubject(try SQLiteHTTPCacheStore(path: path, capacity: 50_000, onLoss: losses.add))
        try await scene.inDatabase {
            try $0.execute(sql: "CREATE TRIGGER kept BEFORE DELETE ON entry BEGIN SELECT RAISE(IGNORE); END")
        }
        await #expect(throws: SQLiteHTTPCacheError.self) {
            for number in 1...9 { try await small.insert(number, bytes.prefix(10_000)) }
        }
        #expect(losses.all.count == 1)
        for number in 1...9 { try await small.insert(number, bytes.prefix(10_000)) }
        #expect(try await small.store.size() <= 50_000)
    }

    @Test func `what is put aside is told once, also when there is nothing in its place at first`() async throws {
        let isFull = Atomic(false)
        let store = HTTPCacheStoreSubject(
            try SQLiteHTTPCacheStore(
                path: path,
                onLoss: losses.add,
                prepare: { database in
                    let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                    if isFull.load(ordering: .relaxed), pages < 2 { throw DatabaseError(resultCode: .SQLITE_FULL) }
                }
            )
        )
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }

        isFull.store(true, ordering: .relaxed)
        for _ in 1...2 { await #expect(throws: SQLiteHTTPCacheError.self) { try await store.store.size() } }
        isFull.store(false, ordering: .relaxed)
        try await store.insert(1, bytes)

        guard case .database = try #require(losses.all.first) else {
            Issue.record("expected database, found \(losses.all)")
            return
        }
        #expect(losses.all.count == 1)
    }

    @Test func `clearing what is damaged leaves nothing of it`() async throws {
        try await subject.insert(1, bytes)
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE piece") }
        try await subject.store.removeAll()
        #expect(losses.all.count == 1)
        #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
        let new = try await subject.insert(3, bytes)
        try await subject.expect(body: bytes, of: new.id)
    }

    @Test func `garbage in the middle of the file does not stop the cache`() async throws {
        for number in 1...9 { try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 200_000)) }
        try await scene.inDatabase { _ = try $0.checkpoint(.truncate) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = try file.seekToEnd()
        // Every tenth page, so that heads, indices and the chains of bodies are hit; the first one stays what it is.
        for page in stride(from: 4_096 * 3, to: size, by: 4_096 * 10) {
            try file.seek(toOffset: page)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 4_096))
        }
        try file.close()
        // Another connection's commit makes the store forget the pages that it remembers.
        try await scene.inDatabase { try? $0.execute(sql: "UPDATE state SET sequence = sequence + 1") }

        for number in 1...9 {
            for entry in try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)) {
                guard let body = try await subject.store.body(of: entry.id, in: nil) else { continue }
                // To its end as it was, or to an error.
                if let found = try? await body.collect(upTo: .max, orThrow: CancellationError()) {
                    #expect(found == HTTPCacheStoreSubject.bytes(number, count: 200_000))
                }
            }
        }
        _ = try? await subject.insert(1, bytes)
        let new = try await subject.insert(2, bytes)
        try await subject.expect(body: bytes, of: new.id)
        #expect(!losses.all.isEmpty)
    }
}
