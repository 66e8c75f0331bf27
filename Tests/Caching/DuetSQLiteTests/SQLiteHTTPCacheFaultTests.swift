import DuetContracts
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import Testing

/// Full disks, locks, and newer programs while the store is open.
@Suite(.serialized) struct SQLiteHTTPCacheFaultTests {
    private let scene: OpenedStore
    private var subject: HTTPCacheStoreSubject { scene.subject }
    private var losses: Losses { scene.losses }
    private var path: String { scene.path }
    private let bytes = OpenedStore.bytes

    init() async throws {
        scene = try await OpenedStore(busyTimeout: .milliseconds(30))
    }

    @Test(arguments: 0...60)
    func `wherever the disk is full, stored responses are whole and nothing else is stored`(pages: Int) async throws {
        let old = try await subject.insert(1, bytes)
        // While it is open, the write-ahead log exists, and opening another store needs no page.
        let full = try await DatabaseFile.$prepareConnection.withValue({ database in
            let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(count + pages * 4)")
        }) { try await SQLiteHTTPCacheStore(path: path) }

        let error = await #expect(throws: SQLiteStoreError.self) {
            let writer = full.writer(for: HTTPCacheStoreSubject.key(1))
            for _ in 0..<10 { try await writer.append(bytes) }
            _ = try await writer.commit(HTTPCacheStoreSubject.head(2, length: 6_000_000), replacing: [old.id])
        }

        guard case .failed(path, let underlying) = try #require(error) else {
            Issue.record("expected failed, found \(String(describing: error))")
            return
        }
        #expect((underlying as? DatabaseError)?.resultCode == .SQLITE_FULL)
        #expect("\(try #require(error))".contains("Make room"))
        try await subject.expect([old], for: HTTPCacheStoreSubject.key(1))
        try await subject.expect(body: bytes, of: old.id)
        let next = try await subject.insert(2, bytes)
        try await subject.expect(body: bytes, of: next.id)
        // The next change deletes what could not be stored.
        try await full.remove([0])
        #expect(try await subject.store.size() < 1_300_000)
        #expect(try await OpenedStore.number("SELECT count(*) FROM piece", at: path) == 6)
        #expect(losses.all == [])
    }

    @Test func `a database that another process writes to is an error after the timeout, and can be read meanwhile`()
        async throws
    {
        let entry = try await subject.insert(1, bytes)
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

        for operation in changes(of: entry) {
            let error = await #expect(throws: SQLiteStoreError.self) { try await operation() }
            guard case .locked(path, after: .milliseconds(30)) = try #require(error) else {
                Issue.record("expected locked, found \(String(describing: error))")
                continue
            }
        }
        try await subject.expect([entry], for: HTTPCacheStoreSubject.key(1))
        try await subject.expect(body: bytes, of: entry.id)

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        for operation in changes(of: entry) { try await operation() }
        #expect(try await subject.store.size() == 0)
        #expect(losses.all == [])
    }

    @Test func `tables that a newer program changes while the store is open are left unchanged`() async throws {
        let entry = try await subject.insert(1, bytes)
        try await scene.inDatabase {
            try $0.execute(sql: "ALTER TABLE entry RENAME TO item; PRAGMA user_version = 1000")
        }

        for operation in changes(of: entry) + [{ [subject] in _ = try await subject.store.size() }] {
            let error = await #expect(throws: SQLiteStoreError.self) {
                try await operation()
                _ = try await subject.store.body(of: entry.id, in: nil)
            }
            guard case .newerFormat(path, found: 1000, supported: 5) = try #require(error) else {
                Issue.record("expected newerFormat, found \(String(describing: error))")
                continue
            }
        }
        #expect(losses.all.isEmpty)
        #expect(!scene.isSetAside)
    }

    /// One change of each kind; together they leave nothing.
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
