import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import HTTPTypes
import Testing

/// What happens when the database, its file or the disk changes for the worse while the store is open.
@Suite(.serialized) struct SQLiteHTTPCacheFaultTests {
    private let scene: OpenedStore
    private var subject: HTTPCacheStoreSubject { scene.subject }
    private var losses: Losses { scene.losses }
    private var path: String { scene.path }
    private let bytes = OpenedStore.bytes

    init() throws {
        scene = try OpenedStore(busyTimeout: .milliseconds(30))
    }

    @Test(arguments: 0...60)
    func `wherever the disk is full, what was there is whole and nothing else is`(pages: Int) async throws {
        let old = try await subject.insert(1, bytes)
        // While it is open, the write-ahead log is there, and opening another one needs no page.
        let full = try SQLiteHTTPCacheStore(
            path: path,
            prepare: { database in
                let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(count + pages * 4)")
            }
        )

        let error = await #expect(throws: SQLiteHTTPCacheError.self) {
            let writer = full.writer(for: HTTPCacheStoreSubject.key(1))
            for _ in 0..<10 { try await writer.append(bytes) }
            _ = try await writer.commit(HTTPCacheStoreSubject.head(2, length: 6_000_000), replacing: [old.id])
        }

        guard case .failed(path, let underlying) = try #require(error) else {
            Issue.record("expected failed, found \(String(describing: error))")
            return
        }
        #expect((underlying as? DatabaseError)?.resultCode == .SQLITE_FULL)
        #expect("\(try #require(error))".contains("Is the disk full"))
        try await subject.expect([old], for: HTTPCacheStoreSubject.key(1))
        try await subject.expect(body: bytes, of: old.id)
        let next = try await subject.insert(2, bytes)
        try await subject.expect(body: bytes, of: next.id)
        // What could not be stored is removed before this.
        try await full.remove([0])
        let size = try await subject.store.size()
        #expect(size < 1_300_000)
        #expect(losses.all == [])
    }

    @Test func `a database that another process writes to says so after the wait, and can be read meanwhile`()
        async throws
    {
        let entry = try await subject.insert(1, bytes)
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

        for (index, operation) in changes(of: entry).enumerated() {
            let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await operation() }
            guard case .locked(path, after: let wait) = try #require(error) else {
                Issue.record("expected locked, found \(String(describing: error))")
                continue
            }
            // Those that come after one that has waited in vain do not wait again.
            #expect(wait == (index == 0 ? .milliseconds(30) : .zero))
        }
        try await subject.expect([entry], for: HTTPCacheStoreSubject.key(1))
        try await subject.expect(body: bytes, of: entry.id)

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        for operation in changes(of: entry) { try await operation() }
        #expect(try await subject.store.size() == 0)
        #expect(losses.all == [])
    }

    @Test func `while it is locked, misses at the same time wait once, not one after the other`()
        async throws
    {
        let store = try SQLiteHTTPCacheStore(path: path, busyTimeout: .seconds(2))
        let client = OKClient().caching(in: store)
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

        let time = try await ContinuousClock().measure {
            try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask {
                        let url = try #require(URL(string: "http://store.invalid/miss/\(number)"))
                        let (_, body) = try await client.data(for: HTTPRequest(method: .get, url: url))
                        #expect(body == Data("whole".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }

        #expect(time < .seconds(10), "ten that wait in a row take twenty seconds")
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        // Once it goes again it goes for all, with patience.
        try await HTTPCacheStoreSubject(store).insert(1, bytes)
    }

    @Test func `while another process opens the file, one waits in vain and no other`() async throws {
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        let others = try HeldLock(path + ".opening")

        for wait in [.milliseconds(30), .zero, .zero] as [Duration] {
            let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await subject.store.size() }
            guard case .locked(path, after: wait) = try #require(error) else {
                Issue.record("expected locked, found \(String(describing: error))")
                continue
            }
        }
        #expect(losses.all == [])

        others.release()
        try await subject.insert(1, bytes)
        #expect(losses.all == [.file(path: path)])
    }

    @Test func `while another program reads without an end the log has bounds, and what is there can be used`()
        async throws
    {
        let store = HTTPCacheStoreSubject(try SQLiteHTTPCacheStore(path: path, capacity: 4_000_000))
        let old = try await store.insert(1, bytes)
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT count(*) FROM entry") }

        let error = await #expect(throws: SQLiteHTTPCacheError.self) {
            var last = try await store.insert(2, bytes)
            for _ in 1...90 { last = try await store.insert(2, bytes, replacing: [last.id]) }
        }

        guard case .logHeld(path, bytes: let bytes) = try #require(error) else {
            Issue.record("expected logHeld, found \(String(describing: error))")
            return
        }
        #expect((37_000_000..<39_500_000).contains(bytes))
        try await store.expect([old], for: HTTPCacheStoreSubject.key(1))
        try await store.expect(body: self.bytes, of: old.id)
        await #expect(throws: SQLiteHTTPCacheError.self) {
            try await store.store.update(old.id, to: HTTPCacheStoreSubject.head(1, length: 600_000, padding: 9))
        }
        try await store.store.remove([old.id])
        try await store.expect([], for: HTTPCacheStoreSubject.key(1))

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        for number in 1...3 { try await store.insert(number, self.bytes) }
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(try #require(log) < 18_000_000)
    }

    @Test func `programs that take turns in reading without an end do not let the log grow either`() async throws {
        let store = HTTPCacheStoreSubject(try SQLiteHTTPCacheStore(path: path, capacity: 4_000_000))
        let others = try (0..<2).map { _ in try DatabaseQueue.other(at: path) }
        let begin = "BEGIN; SELECT count(*) FROM entry"
        try await others[0].writeWithoutTransaction { try $0.execute(sql: begin) }
        var refusals = 0
        for number in 1...120 {
            do { try await store.insert(number % 3, bytes) } catch SQLiteHTTPCacheError.logHeld { refusals += 1 }
            try await others[number % 2].writeWithoutTransaction { try $0.execute(sql: begin) }
            try await others[1 - number % 2].writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        }
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(try #require(log) < 39_500_000)
        #expect(refusals > 0)
    }

    @Test func `uses that a failed change should have written are remembered, all of them`() async throws {
        var ids: [HTTPCacheEntry.ID] = []
        for number in 0..<200 { ids.append(try await subject.insert(number, Data()).id) }
        for id in ids.reversed() { try await subject.store.markUsed(id) }
        let writer = try await subject.store.writer(for: HTTPCacheStoreSubject.key(1), length: nil)
        try await writer.append(bytes)
        try await subject.store.removeAll(uri: HTTPCacheStoreSubject.key(1).uri)
        await #expect(throws: SQLiteHTTPCacheError.self) {
            _ = try await writer.commit(HTTPCacheStoreSubject.head(1, length: 600_000), replacing: [])
        }
        try await subject.store.flush()
        let other = try DatabaseQueue.other(at: path)
        let last = try await other.read { try Int64.fetchAll($0, sql: "SELECT id FROM entry ORDER BY used DESC") }
        #expect(last == ids.filter { $0 != ids[1] })
    }

    @Test func `uses that cannot be written are remembered, the latest of them`() async throws {
        var ids: [HTTPCacheEntry.ID] = []
        for number in 0..<256 { ids.append(try await subject.insert(number, Data()).id) }
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        for id in ids.dropLast() { try await subject.store.markUsed(id) }

        await #expect(throws: SQLiteHTTPCacheError.self) { try await subject.store.markUsed(ids[255]) }
        // Not tried again before there are many.
        try await subject.store.markUsed(ids[0])

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await subject.store.flush()
        let last = try await other.read {
            try Int64.fetchAll($0, sql: "SELECT id FROM entry ORDER BY used DESC LIMIT 130")
        }
        #expect(Array(last.prefix(129)) == [ids[0]] + ids[128...].reversed())
        #expect(last.last == ids[127])
    }

    @Test func `what a newer program has made of the tables while it was open is left alone`()
        async throws
    {
        let entry = try await subject.insert(1, bytes)
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "ALTER TABLE entry RENAME TO item; PRAGMA user_version = 1000")
        }
        try other.close()

        for operation in changes(of: entry) + [{ [subject] in _ = try await subject.store.size() }] {
            let error = await #expect(throws: SQLiteHTTPCacheError.self) {
                try await operation()
                _ = try await subject.store.body(of: entry.id, in: nil)
            }
            guard case .newerFormat(path, found: 1000, supported: 4) = try #require(error) else {
                Issue.record("expected newerFormat, found \(String(describing: error))")
                continue
            }
        }
        #expect(losses.all == [])
        #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
    }

    @Test func `a file deleted underneath begins anew, and is told once`() async throws {
        let old = try await subject.insert(1, bytes)
        for suffix in ["", "-wal", "-shm", ".lock", ".opening"] {
            try FileManager.default.removeItem(atPath: path + suffix)
        }

        try await subject.expect(body: nil, of: old.id)
        let new = try await subject.insert(2, bytes)
        try await subject.insert(3, bytes)

        #expect(losses.all == [.file(path: path)])
        #expect(new.id != old.id)
        try await subject.expect([], for: HTTPCacheStoreSubject.key(1))
        let other = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        try await other.expect([new], for: HTTPCacheStoreSubject.key(2))
    }

    @Test func `a response that was being stored in a deleted file is not stored`() async throws {
        let writer = try await subject.store.writer(for: HTTPCacheStoreSubject.key(1), length: nil)
        try await writer.append(bytes)
        try FileManager.default.removeItem(atPath: path)

        let error = await #expect(throws: SQLiteHTTPCacheError.self) {
            _ = try await writer.commit(HTTPCacheStoreSubject.head(1, length: 600_000), replacing: [])
        }

        guard case .responseGone(path) = try #require(error) else {
            Issue.record("expected responseGone, found \(String(describing: error))")
            return
        }
        try await subject.expect([], for: HTTPCacheStoreSubject.key(1))
    }

    @Test func `a folder in place of the file is an error until it is gone`() async throws {
        try await subject.insert(1, bytes)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)

        let operations: [@Sendable () async throws -> Void] = [
            { [subject, bytes] in try await subject.insert(2, bytes) },
            { [subject] in try await subject.expect(body: nil, of: 1) },
        ]
        for operation in operations {
            let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await operation() }
            #expect(error?.refusal?.path == path)
        }

        try FileManager.default.removeItem(atPath: path)
        let new = try await subject.insert(2, bytes)
        try await subject.expect([new], for: HTTPCacheStoreSubject.key(2))
    }

    @Test func `another program's database in place of the file is refused and left alone`() async throws {
        try await subject.insert(1, bytes)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        let other = try DatabaseQueue.other(at: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE notes (id)") }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let before = try Data(contentsOf: URL(filePath: path))

        for _ in 1...2 {
            let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await subject.insert(2, bytes) }
            #expect(error?.refusal?.path == path)
            #expect(error?.refusal?.reason == "it is another program's database")
        }

        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
        #expect(losses.all == [])
    }

    @Test func `a database that another one put in place is used from then on`() async throws {
        try await subject.insert(1, bytes)
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: path + ".old" + suffix)
        }
        let other = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        let theirs = try await other.insert(2, bytes)

        try await subject.insert(3, bytes)

        try await subject.expect([theirs], for: HTTPCacheStoreSubject.key(2))
        try await subject.expect([], for: HTTPCacheStoreSubject.key(1))
        #expect(losses.all == [.file(path: path)])
    }

    /// One of each kind of change; after all of them nothing is left.
    private func changes(of entry: HTTPCacheEntry) -> [@Sendable () async throws -> Void] {
        let (subject, bytes) = (subject, bytes)
        return [
            { try await subject.insert(2, bytes) },
            { try await subject.insert(2, Data()) },
            { try await subject.store.update(entry.id, to: HTTPCacheStoreSubject.head(1, length: 600_000)) },
            { try await subject.store.remove([entry.id]) },
            { try await subject.store.removeAll(uri: HTTPCacheStoreSubject.key(1).uri) },
            { try await subject.store.removeAll() },
        ]
    }
}
