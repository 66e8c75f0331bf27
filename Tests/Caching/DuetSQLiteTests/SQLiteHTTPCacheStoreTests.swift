import DuetContracts
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
    func `it meets the contract of HTTP cache stores`(clause: HTTPCacheStoreContract) async throws {
        try await clause.verify { try await SQLiteHTTPCacheStore(path: path, capacity: $0) }
    }

    @Test func `it is durable, so it receives no secrets`() async throws {
        #expect(try await SQLiteHTTPCacheStore(path: path).isDurable)
    }

    @Test func `a large body is read piece by piece, a moderate one at once`() async throws {
        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        let large = try await subject.insert(1, HTTPCacheStoreSubject.bytes(1, count: 1_000_000))
        let moderate = try await subject.insert(2, HTTPCacheStoreSubject.bytes(2, count: 262_144))

        let body = try #require(try await subject.store.body(of: large.id, in: 10..<999_990))
        var counts: [Int] = []
        for try await piece in body { counts.append(piece.count) }

        #expect(body.size == 999_980)
        #expect(counts == [262_134, 262_144, 262_144, 213_558])
        #expect(try await subject.store.body(of: moderate.id, in: nil)?.whole?.count == 262_144)
        #expect(try await count("SELECT count(*) FROM piece") == 5)
    }

    @Test func `a large body is in the database before it is complete, and not visible`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        let writer = store.writer(for: HTTPCacheStoreSubject.key(1))
        try await writer.append(HTTPCacheStoreSubject.bytes(1, count: 262_144))
        #expect(try await count("SELECT count(*) FROM piece") == 0)

        try await writer.append(Data([1]))
        #expect(try await count("SELECT count(*) FROM piece") == 1)
        #expect(try await store.size() == 0)

        await writer.discard()
        // The next change deletes it.
        try await store.remove([0])
        #expect(try await count("SELECT count(*) FROM piece") == 0)
    }

    @Test func `a response that turns out to be too large evicts no other`() async throws {
        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path, capacity: 2_000_000))
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

    @Test func `bodies that are being stored take at most the capacity`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path, capacity: 2_800_000)
        let writers = (0..<6).map { store.writer(for: HTTPCacheStoreSubject.key($0)) }
        var isTaken: [Bool] = []
        for writer in writers {
            isTaken.append(try await writer.append(HTTPCacheStoreSubject.bytes(1, count: 600_000)))
        }
        #expect(isTaken == [true, true, true, true, false, false])

        await writers[0].discard()
        let next = store.writer(for: HTTPCacheStoreSubject.key(7))
        #expect(try await next.append(HTTPCacheStoreSubject.bytes(7, count: 600_000)))

        let head = HTTPCacheStoreSubject.head(1, length: 600_000)
        #expect(try await next.commit(head, replacing: []) != nil)
        #expect(try await writers[1].commit(head, replacing: []) != nil)
        #expect(try await writers[5].commit(head, replacing: []) == nil)
        await #expect(throws: SQLiteStoreError.self) { _ = try await writers[0].commit(head, replacing: []) }
    }

    @Test func `a body that is removed while it is read is deleted when its reader ends`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        let subject = HTTPCacheStoreSubject(store)
        let entry = try await subject.insert(1, HTTPCacheStoreSubject.bytes(1, count: 1_000_000))
        do {
            let body = try #require(try await store.body(of: entry.id, in: nil))
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            for _ in 1...2 { try await store.remove([entry.id]) }
            #expect(try await store.body(of: entry.id, in: nil) == nil)
            #expect(try await count("SELECT count(*) FROM piece") == 4)
            _ = try await pieces.next()
        }
        // The next change deletes it.
        try await store.remove([0])
        #expect(try await store.size() == 0)
        #expect(try await count("SELECT count(*) FROM piece") == 0)
    }

    @Test func `bodies that are removed while they are read take at most the capacity`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path, capacity: 4_000_000)
        let subject = HTTPCacheStoreSubject(store)
        var bodies: [HTTPBody] = []
        for number in 0..<10 {
            let entry = try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 900_000))
            bodies.append(try #require(try await store.body(of: entry.id, in: nil)))
        }
        try await store.removeAll(prefix: "http://")
        try await store.remove([0])

        var whole = 0
        for (number, body) in bodies.enumerated() {
            guard let bytes = try? await body.collect(upTo: .max, orThrow: CancellationError()) else { continue }
            #expect(bytes == HTTPCacheStoreSubject.bytes(number, count: 900_000))
            whole += 1
        }
        #expect(whole == 4)
    }

    @Test func `the unfinished body of a killed process is deleted by the next process that is alone`() async throws {
        do {
            let keeper = try await SQLiteHTTPCacheStore(path: path)
            try await OpenedStore.inDatabase(at: path) {
                try $0.execute(sql: "INSERT INTO piece VALUES (7, 0, zeroblob(262144)), (7, 1, zeroblob(262144))")
            }
            let entry = try await HTTPCacheStoreSubject(keeper).insert(1, OpenedStore.bytes)
            let other = try await SQLiteHTTPCacheStore(path: path)
            #expect(try await count("SELECT count(*) FROM piece") == 5)
            try await HTTPCacheStoreSubject(other).expect(body: OpenedStore.bytes, of: entry.id)
            withExtendedLifetime(keeper) {}
        }
        // A store that is released may close its connections a moment later.
        await waitUntilNobodyUsesFile()
        let store = try await SQLiteHTTPCacheStore(path: path)

        #expect(try await count("SELECT count(*) FROM piece") == 3)
        let entry = try #require(try await store.entries(for: HTTPCacheStoreSubject.key(1)).first)
        try await HTTPCacheStoreSubject(store).expect(body: OpenedStore.bytes, of: entry.id)
    }

    private func waitUntilNobodyUsesFile() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "lock").async { [path] in
                let descriptor = unsafe open(path + ".lock", O_RDWR)
                flock(descriptor, LOCK_EX)
                close(descriptor)
                continuation.resume()
            }
        }
    }

    @Test func `a response that is removed while it is being stored is not stored`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        let writer = store.writer(for: HTTPCacheStoreSubject.key(1))
        try await writer.append(HTTPCacheStoreSubject.bytes(1, count: 600_000))
        try await store.removeAll()

        let error = await #expect(throws: SQLiteStoreError.self) {
            _ = try await writer.commit(HTTPCacheStoreSubject.head(1, length: 600_000), replacing: [])
        }

        guard case .responseGone(path) = try #require(error) else {
            Issue.record("expected responseGone, found \(String(describing: error))")
            return
        }
        #expect(error?.isRemoval == true)
        #expect(try await store.entries(for: HTTPCacheStoreSubject.key(1)) == [])
        #expect(try await store.size() == 0)
    }

    @Test func `a removal happens although its task is canceled`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        try await HTTPCacheStoreSubject(store).insert(1, OpenedStore.bytes)

        let removal = Task {
            while !Task.isCancelled { await Task.yield() }
            try await store.removeAll(uri: HTTPCacheStoreSubject.key(1).uri)
        }
        removal.cancel()
        try await removal.value

        #expect(try await store.size() == 0)
    }

    @Test func `hits write nothing, and the last 256 are remembered`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        let subject = HTTPCacheStoreSubject(store)
        var ids: [Int64] = []
        for number in 0..<257 { ids.append(try await subject.insert(number, Data()).id) }
        let before = try #require(try await count("SELECT counter FROM state"))

        for _ in 0..<10 { for id in ids { store.markUsed(id) } }
        #expect(try await count("SELECT counter FROM state") == before)

        try await store.flush()
        #expect(try await count("SELECT counter FROM state") == before + 256)
        #expect(try await count("SELECT count(*) FROM entry WHERE used > \(before)") == 256)
        #expect(try await count("SELECT id FROM entry ORDER BY used LIMIT 1") == ids[0])
    }

    @Test func `uses are known to the next process after a flush and after the end of a cache's run`() async throws {
        let client = OKClient().caching(in: try await SQLiteHTTPCacheStore(path: path))
        func used() async throws -> Int64? { try await count("SELECT id FROM entry ORDER BY used DESC LIMIT 1") }
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

    @Test func `a smaller capacity applies from the beginning`() async throws {
        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 0..<10 { try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 10_000)) }

        let smaller = try await SQLiteHTTPCacheStore(path: path, capacity: 50_000)

        #expect(try await smaller.size() <= 50_000)
        #expect(try await smaller.entries(for: HTTPCacheStoreSubject.key(9)).count == 1)
        #expect(try await smaller.entries(for: HTTPCacheStoreSubject.key(0)).isEmpty)
    }

    @Test func `a smaller capacity also removes bodies of several pieces`() async throws {
        let first = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 0..<3 { try await first.insert(number, HTTPCacheStoreSubject.bytes(number, count: 600_000)) }
        #expect(try await count("SELECT count(*) FROM piece") == 9)

        let smaller = try await SQLiteHTTPCacheStore(path: path, capacity: 700_000)

        #expect(try await smaller.size() > 600_000)
        #expect(try await count("SELECT count(*) FROM piece") == 3)
    }

    @Test func `after everything is removed, the files contain none of it`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        let subject = HTTPCacheStoreSubject(store)
        let secret = Data("the-secret-of-ada".utf8)
        let body = HTTPCacheStoreSubject.bytes(7, count: 100_000) + secret
        let renamed =
            try Data(contentsOf: URL(filePath: path)).prefix(100)
            + Data("garbage that was put aside: the-secret-of-ada".utf8)
        try renamed.write(to: URL(filePath: path + ".unreadable"))
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

    private func count(_ sql: String) async throws -> Int64? {
        try await OpenedStore.number(sql, at: path)
    }
}
