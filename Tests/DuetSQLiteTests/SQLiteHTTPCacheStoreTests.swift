import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Testing

@Suite(.serialized) struct SQLiteHTTPCacheStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test(arguments: HTTPCacheStoreContract.allCases)
    func `it keeps the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { try SQLiteHTTPCacheStore(path: path, capacity: $0) }
    }

    @Test func `it is durable, so that it is given no secrets`() throws {
        #expect(try SQLiteHTTPCacheStore(path: path).isDurable)
    }

    @Test func `a body that is larger than memory should hold is read row by row`() async throws {
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        let entry = try await subject.insert(1, HTTPCacheStoreSubject.bytes(1, count: 1_000_000))

        let body = try #require(try await subject.store.body(of: entry.id, in: 10..<999_990))
        var counts: [Int] = []
        for try await piece in body { counts.append(piece.count) }

        #expect(body.size == 999_980)
        #expect(counts == [131_062] + Array(repeating: 131_072, count: 6) + [82_486])
    }

    @Test func `a large body is in the database before it is complete, and counts`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        let writer = store.writer(for: HTTPCacheStoreSubject.key(1))
        try await writer.append(HTTPCacheStoreSubject.bytes(1, count: 262_143))
        #expect(try await store.size() == 0)

        try await writer.append(Data([1]))
        #expect(try await store.size() == 262_144)

        await writer.discard()
        try await store.remove([0])
        #expect(try await store.size() == 0)
        #expect(try await count("SELECT count(*) FROM piece") == 0)
    }

    @Test func `a response that turns out to be too large drives out none`() async throws {
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path, capacity: 2_000_000))
        for number in 0..<10 {
            try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 150_000))
        }
        let writer = try await subject.store.writer(for: HTTPCacheStoreSubject.key(10), length: nil)
        for _ in 0..<30 { try await writer.append(HTTPCacheStoreSubject.bytes(10, count: 100_000)) }

        let entry = try await writer.commit(
            HTTPCacheStoreSubject.head(10, length: 3_000_000),
            replacing: []
        )

        #expect(entry == nil)
        for number in 0..<10 {
            #expect(try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)).count == 1)
        }
    }

    @Test func `what is being stored takes no more than the capacity, and the latest goes on`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path, capacity: 2_800_000)
        let writers = (0..<8).map { store.writer(for: HTTPCacheStoreSubject.key($0)) }
        for writer in writers.dropLast() {
            _ = try? await writer.append(HTTPCacheStoreSubject.bytes(1, count: 600_000))
        }
        #expect(try await store.size() <= 2_800_000)

        try await writers[7].append(HTTPCacheStoreSubject.bytes(7, count: 600_000))

        #expect(try await store.size() <= 2_800_000)
        #expect(try await writers[7].commit(HTTPCacheStoreSubject.head(7, length: 600_000), replacing: []) != nil)
        await #expect(throws: SQLiteHTTPCacheError.self) {
            _ = try await writers[0].commit(HTTPCacheStoreSubject.head(0, length: 600_000), replacing: [])
        }
    }

    @Test func `a body that is removed while it is read goes when its reader ends`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        let subject = HTTPCacheStoreSubject(store)
        let entry = try await subject.insert(1, HTTPCacheStoreSubject.bytes(1, count: 1_000_000))
        do {
            let body = try #require(try await store.body(of: entry.id, in: nil))
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            try await store.remove([entry.id])
            #expect(try await store.body(of: entry.id, in: nil) == nil)
            #expect(try await store.size() > 1_000_000)
            _ = try await pieces.next()
        }
        // What its end removes is removed before this.
        try await store.remove([0])
        #expect(try await store.size() == 0)
        #expect(try await count("SELECT count(*) FROM piece") == 0)
    }

    @Test func `removing a URI takes what another process is storing for it`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        let other = try SQLiteHTTPCacheStore(path: path)
        let writer = other.writer(for: HTTPCacheStoreSubject.key(1))
        try await writer.append(HTTPCacheStoreSubject.bytes(1, count: 600_000))

        try await store.removeAll(uri: HTTPCacheStoreSubject.key(1).uri)

        await #expect(throws: SQLiteHTTPCacheError.self) {
            _ = try await writer.commit(HTTPCacheStoreSubject.head(1, length: 600_000), replacing: [])
        }
        #expect(try await store.entries(for: HTTPCacheStoreSubject.key(1)) == [])
    }

    @Test func `what was being stored when the process ended is swept by the next one that is alone`()
        async throws
    {
        let sizes = try await withUnfinishedBody { try await SQLiteHTTPCacheStore(path: path).size() }

        #expect(sizes.whileInUse == 524_288)
        #expect(sizes.afterwards == 0)
        #expect(try await count("SELECT count(*) FROM piece") == 0)
    }

    @Test func `removed while it was being stored, a response is not stored`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        let writer = store.writer(for: HTTPCacheStoreSubject.key(1))
        try await writer.append(HTTPCacheStoreSubject.bytes(1, count: 600_000))
        try await store.removeAll()

        let error = await #expect(throws: SQLiteHTTPCacheError.self) {
            _ = try await writer.commit(HTTPCacheStoreSubject.head(1, length: 600_000), replacing: [])
        }

        guard case .responseGone(path) = try #require(error) else {
            Issue.record("expected responseGone, found \(String(describing: error))")
            return
        }
        #expect(try await store.entries(for: HTTPCacheStoreSubject.key(1)) == [])
        #expect(try await store.size() == 0)
    }

    @Test func `hits write nothing until there are many of them`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        let subject = HTTPCacheStoreSubject(store)
        var ids: [Int64] = []
        for number in 0..<256 { ids.append(try await subject.insert(number, Data()).id) }
        let before = try #require(try await count("SELECT sequence FROM state"))

        for _ in 0..<10 { for id in ids.dropLast() { try await store.markUsed(id) } }
        #expect(try await count("SELECT sequence FROM state") == before)

        try await store.markUsed(ids[255])
        #expect(try await count("SELECT sequence FROM state") == before + 256)
    }

    @Test func `who comes after a flush, and after the end of a cache's run, knows what was used`() async throws {
        let client = OKClient().caching(in: try SQLiteHTTPCacheStore(path: path))
        func used() async throws -> Int? { try await count("SELECT id FROM entry ORDER BY used DESC LIMIT 1") }
        func ask(_ number: Int) async throws {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "store.invalid", path: "/\(number)")
            _ = try await client.data(for: request)
        }
        for number in 1...2 { try await ask(number) }
        let second = try await used()

        try await ask(1)
        #expect(try await used() == second)
        let running = Task { await client.run() }
        running.cancel()
        await running.value

        let first = try await used()
        #expect(first != second)
    }

    @Test func `a smaller capacity is kept to from the beginning`() async throws {
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 0..<10 { try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 10_000)) }

        let smaller = try SQLiteHTTPCacheStore(path: path, capacity: 50_000)

        #expect(try await smaller.size() <= 50_000)
        #expect(try await smaller.entries(for: HTTPCacheStoreSubject.key(9)).count == 1)
        #expect(try await smaller.entries(for: HTTPCacheStoreSubject.key(0)).isEmpty)
    }

    @Test func `the files are for their owner alone, and stay so`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        try await HTTPCacheStoreSubject(store).insert(1, Data("secret".utf8))
        for file in ["", "-wal", "-shm", ".lock", ".opening"] { #expect(try permissions(file) == 0o600) }

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        _ = try SQLiteHTTPCacheStore(path: path)
        #expect(try permissions("") == 0o600)
    }

    @Test func `what was removed is not in the files any more`() async throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        let subject = HTTPCacheStoreSubject(store)
        let secret = Data("the-secret-of-ada".utf8)
        let body = HTTPCacheStoreSubject.bytes(7, count: 100_000) + secret
        try Data("garbage that was put aside: the-secret-of-ada".utf8).write(to: URL(filePath: path + ".unreadable"))
        for number in 0..<30 {
            let key = HTTPCacheKey(partition: "the-secret-of-ada", uri: "http://store.invalid/the-secret-of-ada")
            try await subject.insert(number, body, for: key)
        }
        #expect(try files(with: secret).contains("cache.sqlite.unreadable"))
        #expect(try files(with: secret).count > 1)

        try await store.removeAll()

        #expect(try files(with: secret) == [])
        #expect(try files(with: body.prefix(1_000)) == [])
        withExtendedLifetime(store) {}
    }

    private func files(with bytes: Data) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter {
            try Data(contentsOf: directory.appending($0)).range(of: bytes) != nil
        }
    }

    private func permissions(_ suffix: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
    }

    private func count(_ sql: String) async throws -> Int? {
        let other = try DatabaseQueue.other(at: path)
        defer { try? other.close() }
        return try await other.read { try Int.fetchOne($0, sql: sql) }
    }

    /// Stores part of a body as a process does that ends in the middle of it, while another store is open and afterwards.
    private func withUnfinishedBody(
        _ size: () async throws -> Int64
    ) async throws -> (whileInUse: Int64, afterwards: Int64) {
        func inUse() async throws -> Int64 {
            let keeper = try SQLiteHTTPCacheStore(path: path)
            let other = try DatabaseQueue.other(at: path)
            try await other.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO entry VALUES (7, 'u', '', NULL, 0, 524288, 1, 1, 1);
                        INSERT INTO piece VALUES (7 << 20, 0, zeroblob(131072)), ((7 << 20) + 1, 0, zeroblob(131072));
                        """
                )
            }
            try other.close()
            defer { withExtendedLifetime(keeper) {} }
            return try await size()
        }
        return try await (inUse(), size())
    }
}
