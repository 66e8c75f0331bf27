import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Testing

/// What lies at the place of a cache, or beside it, and is not its own.
@Suite(.serialized) struct SQLiteHTTPCacheNeighbourTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test(arguments: ["", "Duet HTTP", "Duet HTTP cache\n", "\0", String(repeating: "\0", count: 40)])
    func `a lock of which a power cut has left a part is one again`(content: String) async throws {
        try Data(content.utf8).write(to: URL(filePath: path + ".lock"))
        try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path)).insert(1, Data("new".utf8))
        #expect(try Data(contentsOf: URL(filePath: path + ".lock")) == Data("Duet HTTP cache\n".utf8))
    }

    @Test func `while another makes a cache, its file says nothing yet`() throws {
        _ = try SQLiteHTTPCacheStore(path: path)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let others = try HeldLock(path + ".opening")
        let half = try DatabaseQueue.other(at: path)
        try half.write { try $0.execute(sql: "CREATE TABLE entry (id)") }

        let early = #expect(throws: SQLiteHTTPCacheError.self) {
            try SQLiteHTTPCacheStore(path: path, busyTimeout: .zero)
        }
        if case .locked(path, after: .zero)? = early {} else { Issue.record("expected locked, found \(early as Any)") }

        others.release()
        let late = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }
        #expect(late?.refusal?.reason == "it is another program's database")
        try half.close()
    }

    @Test(arguments: ["12345\n", "Duet HTTP cache\n2"])
    func `a lock of something else is left to it`(content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: path + ".lock"))
        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }
        #expect(error?.refusal?.path == path + ".lock")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try Data(contentsOf: URL(filePath: path + ".lock")) == Data(content.utf8))
    }

    @Test func `a young database of another program, whose tables are in its log, is left alone`() async throws {
        _ = try SQLiteHTTPCacheStore(path: path)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE notes (id)")
        }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + suffix)
        }
        let files = ["", "-wal"].map { URL(filePath: path + $0) }
        let before = try files.map { try Data(contentsOf: $0) }

        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try files.map { try Data(contentsOf: $0) } == before)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
        try other.close()
    }
}
