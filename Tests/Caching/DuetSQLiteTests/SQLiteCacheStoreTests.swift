import DuetCaching
import DuetContracts
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import TestSupport
import Testing

@Suite(.serialized) struct SQLiteCacheStoreTests {
    @Test(arguments: CacheStoreContract.allCases)
    func `it meets the contract of cache stores`(clause: CacheStoreContract) async throws {
        let directory = try TemporaryDirectory()
        try await clause.verify { try await SQLiteCacheStore.open(directory.path("cache.sqlite")) }
    }

    @Test(
        arguments: [
            ("", 0), ("a", 0x0717_17D2_D36B_6B11), ("abc", 0x9CC9_C334_98A9_5EFB),
            ("Nobody inspects the spammish repetition", 0xBFC9_CE2B_0C00_8E9A),
        ] as [(String, UInt64)]
    )
    func `the checksum is MurmurHash64A`(text: String, hash: UInt64) {
        #expect(MurmurHash.hash(Data(text.utf8)) == hash)
    }

    // MARK: Limits

    @Test(arguments: [2, 3, 4])
    func `a store keeps as many values as its limit of entries`(entries: Int) async throws {
        let opened = try await OpenedCacheStore(limit: .init(entries: entries))
        for number in 1...3 { try await opened.subject.insert(number) }
        try await opened.subject.expect(numbers: max(1, 4 - entries)...3, of: 1...3)
        try await opened.checkTables()
    }

    @Test(arguments: [-1, 0, 1])
    func `a store keeps as many bytes as its limit`(excess: Int64) async throws {
        let opened = try await OpenedCacheStore(limit: .init(bytes: 5 * unit() + excess))
        for number in 1...5 { try await opened.subject.insert(number) }
        try await opened.subject.expect(numbers: (excess < 0 ? 2 : 1)...5, of: 1...5)
        try await opened.checkTables()
    }

    @Test(arguments: [-1, 0, 1])
    func `a value of more than a quarter of the bytes is refused, and the old value is removed`(excess: Int64)
        async throws
    {
        let opened = try await OpenedCacheStore(limit: .init(bytes: 4 * unit() + excess))
        let old = try await opened.subject.insert(1, count: 10)
        try await opened.subject.insert(2, count: 10)

        let new = try await opened.subject.insert(3, count: 100, for: CacheStoreSubject.key(1))

        #expect(new != old)
        try await opened.subject.expect(excess < 0 ? nil : new, for: CacheStoreSubject.key(1))
        try await opened.subject.expect(numbers: excess < 0 ? [2] : [1, 2], of: 1...3)
    }

    @Test(arguments: [
        SQLiteCacheStore.Limit(bytes: 0), SQLiteCacheStore.Limit(bytes: -1), SQLiteCacheStore.Limit(entries: 0),
        SQLiteCacheStore.Limit(entries: -1),
    ])
    func `a store whose limit is zero or less stores nothing`(limit: SQLiteCacheStore.Limit) async throws {
        let opened = try await OpenedCacheStore(limit: limit)
        try await opened.subject.insert(1, count: 0)
        try await opened.subject.expect(nil, for: CacheStoreSubject.key(1))
    }

    @Test func `the least recently used values are removed first, and reading is a use that writes nothing`()
        async throws
    {
        let opened = try await OpenedCacheStore(limit: .init(entries: 4))
        for number in 1...4 { try await opened.subject.insert(number) }
        let changes = try await opened.number("SELECT counter FROM state")
        for number in [3, 1, 3] { _ = try await opened.store.value(for: CacheStoreSubject.key(number)) }
        #expect(try await opened.number("SELECT counter FROM state") == changes)

        try await opened.subject.insert(5)
        try await opened.subject.insert(6)

        // Neither 2 nor 4 was read.
        try await opened.subject.expect([1, 3, 5, 6].map { CacheStoreSubject.key($0) }, ofQuery: "Store.Sample")
    }

    @Test func `the last 256 uses are written with the next change`() async throws {
        let opened = try await OpenedCacheStore()
        for number in 0...257 { try await opened.subject.insert(number, count: 0) }
        let before = try #require(try await opened.number("SELECT counter FROM state"))

        for number in 0..<257 { _ = try await opened.store.value(for: CacheStoreSubject.key(number)) }
        try await opened.store.removeExpired(at: .distantPast)

        #expect(try await opened.number("SELECT counter FROM state") == before + 256)
        #expect(try await opened.number("SELECT count(*) FROM usage WHERE used > \(before)") == 256)
        let first = "SELECT epoch FROM value WHERE id = (SELECT value FROM usage ORDER BY used LIMIT 1)"
        #expect(try await opened.number(first) == 0)
    }

    @Test(arguments: [-1, 0, 1])
    func `expired values are removed before others, however recently they were used`(offset: Int) async throws {
        let opened = try await OpenedCacheStore(limit: .init(entries: 4))
        let now = CacheStoreSubject.value(5).loaded.timeIntervalSinceReferenceDate
        let date = Date(timeIntervalSinceReferenceDate: offset < 0 ? now.nextDown : offset > 0 ? now.nextUp : now)
        for number in 1...3 { try await opened.subject.insert(number) }
        try await opened.subject.insert(4, usableUntil: date)

        try await opened.subject.insert(5)

        try await opened.subject.expect(numbers: offset > 0 ? [2, 3, 4, 5] : [1, 2, 3, 5], of: 1...5)
    }

    @Test func `a smaller limit applies from the beginning`() async throws {
        let opened = try await OpenedCacheStore()
        for number in 1...9 { try await opened.subject.insert(number, tags: ["tag"]) }
        let smaller = CacheStoreSubject(try await SQLiteCacheStore.open(opened.path, limit: .init(entries: 3)))
        try await smaller.expect(numbers: 7...9, of: 1...9)
        try await opened.checkTables()
    }

    @Test func `removing or marking by tag, key, or date scans no values`() async throws {
        let opened = try await OpenedCacheStore()
        try await opened.inDatabase { database in
            for condition in [
                "id IN (SELECT value FROM tag WHERE name = ?)", "usableUntil <= ?", "id = ?", "id = ? AND key = x'00'",
                "NOT isKept AND id IN (SELECT value FROM tag WHERE name = ?)",
            ] {
                let sql = "EXPLAIN QUERY PLAN DELETE FROM value WHERE \(condition)"
                let plan = try Row.fetchAll(database, sql: sql, arguments: [Data()]).map { $0["detail"] as String }
                #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
            }
        }
    }

    // MARK: Files

    @Test func `after everything is removed, the files contain none of it`() async throws {
        let opened = try await OpenedCacheStore()
        let secrets = ["the-secret-bytes", "the-secret-scope", "the-secret-query", "the-secret-tag", "the-secret-name"]
            .map { Data($0.utf8) }
        let renamed =
            try Data(contentsOf: URL(filePath: opened.path)).prefix(100) + Data("set aside: the-secret-bytes".utf8)
        try renamed.write(to: URL(filePath: opened.path + ".unreadable"))
        for number in 0..<30 {
            let bytes = CacheStoreSubject.bytes(number, count: 70_000) + secrets[0]
            let key = CacheKey(
                query: "the-secret-name",
                version: number,
                scope: "the-secret-scope",
                encodedQuery: secrets[2]
            )
            let value = StoredValue(
                bytes: bytes,
                loaded: Date(timeIntervalSinceReferenceDate: 0),
                usableUntil: nil,
                tags: ["the-secret-tag"],
                writer: CacheStoreSubject.value(1).writer,
                epoch: 0
            )
            try await opened.store.insert(value, for: key)
        }
        for secret in secrets { #expect(try opened.files(with: secret).contains { $0.hasSuffix(".sqlite-wal") }) }

        try await opened.store.removeAll()

        for secret in secrets + [CacheStoreSubject.bytes(1, count: 500)] {
            #expect(try opened.files(with: secret) == [])
        }
        #expect(try await opened.store.size() == 0)
    }

    @Test func `a removal happens although its task is canceled`() async throws {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        let result = await canceled { try await opened.store.remove([CacheStoreSubject.key(1)]) }
        try result.get()
        try await opened.subject.expect(nil, for: CacheStoreSubject.key(1))
    }

    @Test(arguments: [(1, GoldenCache.format1), (2, GoldenCache.format2), (3, GoldenCache.format3)])
    func `a file of an older format is emptied, and that is reported`(format: Int, sql: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: sql) }
        let losses = Losses()

        let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path, onLoss: losses.add))

        guard case .olderFormat(format) = try #require(losses.all.first) else {
            Issue.record("expected olderFormat, found \(losses.all)")
            return
        }
        for (key, _) in GoldenCache.values { try await subject.expect(nil, for: key) }
        try await OpenedCacheStore.checkTables(at: path)
        let value = try await subject.insert(1)
        let again = CacheStoreSubject(try await SQLiteCacheStore.open(path, onLoss: losses.add))
        try await again.expect(value, for: CacheStoreSubject.key(1))
        #expect(losses.all.count == 1)
    }

    @Test func `a file of format 4 can be read`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: GoldenCache.format4) }

        let losses = Losses()
        let subject = CacheStoreSubject(try await SQLiteCacheStore.open(path, onLoss: losses.add))

        for (key, value) in GoldenCache.values {
            try await subject.expect(value, isStale: value.isKeptWhenStale, for: key)
        }
        try await subject.markStale(.tag("ünïcödé 🗂"))
        try await subject.expect(nil, for: GoldenCache.values[0].0)
        #expect(losses.all == [])
        try await OpenedCacheStore.checkTables(at: path)
    }

    /// The number of bytes that a sample value takes.
    private func unit() async throws -> Int64 {
        let opened = try await OpenedCacheStore()
        try await opened.subject.insert(1)
        return try await opened.store.size()
    }
}
