import DuetCaching
import DuetContracts
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import Testing

/// Values and files that cannot be read anymore.
@Suite(.serialized) struct SQLiteCacheDamageTests {
    private let key = CacheStoreSubject.key(1, scope: "the-scope-of-ada")

    @Test(arguments: [
        "bytes = x'00'", "bytes = 'text'", "bytes = substr(bytes, 2)", "bytes = zeroblob(length(bytes))",
        "tags = x'00'", "tags = x'ffffff7f'", "tags = x'01000000ff'", "tags = 7", "tags = x'01000000'",
        "tags = x'0100000061'", "loaded = loaded + 1", "loaded = 'now'", "usableUntil = 'later'", "usableUntil = 1",
        "writer = x'00'", "writer = zeroblob(16)", "epoch = 7", "epoch = 'seven'", "checksum = 0", "checksum = x'00'",
        "key = x'00'", "key = 'text'", "usableUntil = NULL", "isKept = 1", "isStale = 1",
    ])
    func `a damaged value is removed and reported, and the others stay`(change: String) async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1, usableUntil: .distantFuture, tags: ["tag"], for: key)
        let other = try await opened.subject.insert(2)
        let query = key.query
        try await opened.inDatabase {
            try $0.execute(sql: "UPDATE value SET \(change) WHERE usableUntil IS NOT NULL")
        }

        for _ in 1...2 { try await opened.subject.expect(nil, for: key) }

        guard case .value(query, reason: _) = try #require(opened.losses.all.first) else {
            Issue.record("expected value, found \(opened.losses.all)")
            return
        }
        #expect(opened.losses.all.count == 1)
        #expect(!"\(opened.losses.all)".contains("ada"))
        try await opened.subject.expect(other, for: CacheStoreSubject.key(2))
        try await opened.subject.expect([CacheStoreSubject.key(2)], ofQuery: query)
        try await opened.checkTables()
        let new = try await opened.subject.insert(3, for: key)
        try await opened.subject.expect(new, for: key)
    }

    @Test(arguments: ["key = x'00'", "key = key || x'00'"])
    func `a damaged key is not listed`(change: String) async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        try await opened.subject.insert(2)
        try await opened.inDatabase { try $0.execute(sql: "UPDATE value SET \(change) WHERE epoch = 1") }
        for _ in 1...2 { try await opened.subject.expect([CacheStoreSubject.key(2)], ofQuery: "Store.Sample") }
        #expect(opened.losses.all.count == 1)
    }

    @Test func `a row with the number of another key is not found, and is replaced`() async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        try await opened.subject.insert(2)
        let numbers = try await (
            opened.number("SELECT id FROM value WHERE epoch = 1"), opened.number("SELECT id FROM value WHERE epoch = 2")
        )
        let (first, second) = (try #require(numbers.0), try #require(numbers.1))
        try await opened.inDatabase {
            try $0.execute(sql: "DELETE FROM value WHERE id = \(first)")
            try $0.execute(sql: "UPDATE value SET id = \(first) WHERE id = \(second)")
        }
        try await opened.subject.expect(nil, for: CacheStoreSubject.key(1))
        let new = try await opened.subject.insert(1)
        try await opened.subject.expect(new, for: CacheStoreSubject.key(1))
    }

    @Test(arguments: ["size = 'seven'", "count = x'00'", "counter = 'seven'"])
    func `a state of another type is damage`(change: String) async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        try await opened.inDatabase { try $0.execute(sql: "UPDATE state SET \(change)") }
        _ = try? await opened.subject.insert(2)
        _ = try? await opened.store.size()
        let next = try await opened.restarted()
        try await next.subject.insert(3)
        try await next.subject.expect(CacheStoreSubject.value(3), for: CacheStoreSubject.key(3))
    }

    @Test func `wrong sizes are damage, and do not prevent insertions forever`() async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        try await opened.inDatabase { try $0.execute(sql: "UPDATE state SET size = 1000000000") }
        await #expect(throws: SQLiteStoreError.self) { try await opened.subject.insert(2) }
        try await expectNew(opened)
    }

    @Test(arguments: ["DROP TABLE value", "DROP TABLE usage"])
    func `removing everything heals a damaged file, and leaves nothing to rename`(damage: String) async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        try await opened.inDatabase { try $0.execute(sql: damage) }
        await #expect(throws: SQLiteStoreError.self) { try await opened.subject.insert(2) }
        try await opened.store.removeAll()
        let value = try await opened.subject.insert(2)
        let next = try await opened.restarted()
        try await next.subject.expect(value, for: CacheStoreSubject.key(2))
        #expect(opened.losses.all.isEmpty)
    }

    @Test func `a second damaged file replaces the first one that was renamed`() async throws {
        var opened = try await OpenedCacheStore()
        for round in 1...3 {
            try await opened.subject.insert(round)
            try await opened.inDatabase { try $0.execute(sql: "DROP TABLE state") }
            opened = try await opened.restarted()
            #expect(opened.losses.all.count == round)
            let epoch = try await StoreFile.number("SELECT epoch FROM value", at: opened.path + ".unreadable")
            #expect(epoch == Int64(round))
        }
    }

    @Test func `a value that cannot be evicted is damage`() async throws {
        let opened = try await OpenedCacheStore(limit: .init(entries: 4))
        try await opened.inDatabase {
            try $0.execute(sql: "CREATE TRIGGER kept BEFORE DELETE ON value BEGIN SELECT RAISE(IGNORE); END")
        }
        await #expect(throws: SQLiteStoreError.self) {
            for number in 1...5 { try await opened.subject.insert(number) }
        }
        try await expectNew(opened)
    }

    @Test func `a page that a full disk truncated is whole in the log`() async throws {
        let opened = try await OpenedCacheStore()
        let value = try await opened.subject.insert(1, count: 100_000)
        let file = try FileHandle(forUpdating: URL(filePath: opened.path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(count: 4_096))
        try file.close()
        let again = CacheStoreSubject(try await SQLiteCacheStore.open(opened.path, onLoss: opened.losses.add))
        try await again.expect(value, for: CacheStoreSubject.key(1))
        #expect(opened.losses.all == [])
        try await opened.checkTables()
    }

    @Test func `garbage in the middle of the file does not stop the store`() async throws {
        let opened = try await OpenedCacheStore()
        for number in 1...20 { try await opened.subject.insert(number, count: 50_000, tags: ["tag"]) }
        try await opened.inDatabase { _ = try $0.checkpoint(.truncate) }
        let file = try FileHandle(forUpdating: URL(filePath: opened.path))
        let size = try file.seekToEnd()
        for page in stride(from: 16_384 * 3, to: size, by: 16_384 * 5) {
            try file.seek(toOffset: page + 100)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 10_000))
        }
        try file.close()
        // A commit of another connection makes the store read the pages again.
        try await opened.inDatabase { try? $0.execute(sql: "UPDATE state SET counter = counter + 1") }

        for number in 1...20 {
            let key = CacheStoreSubject.key(number)
            guard let found = try? await opened.store.value(for: key) else { continue }
            #expect(found == CacheStoreSubject.value(number, count: 50_000, tags: ["tag"]))
        }
        for _ in 1...2 { _ = try? await opened.subject.insert(1) }
        let next = try await opened.restarted()
        #expect(!opened.losses.all.isEmpty)
        let new = try await next.subject.insert(2)
        try await next.subject.expect(new, for: CacheStoreSubject.key(2))
    }

    /// Expects that nothing is renamed while the file is open, and that the next start does it once.
    @discardableResult
    private func expectNew(_ opened: OpenedCacheStore) async throws -> OpenedCacheStore {
        #expect(opened.losses.all.isEmpty)
        #expect(!opened.isSetAside)
        let next = try await opened.restarted()
        #expect(opened.losses.all.map(\.isOfDatabase) == [true])
        #expect(next.isSetAside)
        let new = try await next.subject.insert(3)
        try await next.subject.expect(new, for: CacheStoreSubject.key(3))
        return next
    }
}
