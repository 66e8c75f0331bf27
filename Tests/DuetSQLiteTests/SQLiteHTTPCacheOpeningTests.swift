import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

@Suite(.serialized) struct SQLiteHTTPCacheOpeningTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let losses = Losses()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test func `missing folders are made, for their owner alone`() async throws {
        let store = try SQLiteHTTPCacheStore(path: directory.path("a/b/cache.sqlite"))

        #expect(try await store.size() == 0)
        let folder = try FileManager.default.attributesOfItem(atPath: directory.path("a/b"))
        #expect(folder[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a path from the current folder goes on meaning the same file`() async throws {
        let process = try ReportingProcess("HTTPCacheWriter", ["leave", path, "7"])
        #expect(try process.wait(forSteps: 1))
        try process.finish()

        let store = try SQLiteHTTPCacheStore(path: path, onLoss: losses.add)
        #expect(try await store.entries(for: HTTPCacheStoreSubject.key(7)).count == 1)
    }

    @Test func `opened with less room, it removes what was used longest ago, however much that is`() async throws {
        let count = 800
        do {
            let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
            for number in 1...count { try await subject.insert(number, Data("\(number)".utf8)) }
        }

        let store = try SQLiteHTTPCacheStore(path: path, capacity: 10_000, onLoss: losses.add)

        var isStored: [Bool] = []
        for number in 1...count {
            isStored.append(try await !store.entries(for: HTTPCacheStoreSubject.key(number)).isEmpty)
        }
        let left = isStored.count { $0 }
        #expect((1...20).contains(left))
        #expect(isStored.suffix(left).allSatisfy { $0 }, "the last ones are those that are left")
        #expect(try await store.size() <= 10_000)
        #expect(losses.all.isEmpty)
    }

    @Test func `a folder that cannot be made, or not be written to, is named`() throws {
        try Data().write(to: directory.appending("file"))
        for path in [directory.path("file/folder/cache.sqlite"), "/proc/cache.sqlite"] {
            let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }
            guard case .folderUnavailable(let folder, _) = try #require(error) else {
                Issue.record("expected folderUnavailable, found \(String(describing: error))")
                continue
            }
            #expect(path == folder + "/cache.sqlite")
        }
    }

    @Test func `a folder at the place of the file is refused and left alone`() throws {
        try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: true)

        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is a folder")
        #expect(FileManager.default.fileExists(atPath: path + "/folder"))
    }

    @Test func `the database of another program is refused and left alone`() async throws {
        for table in ["CREATE TABLE entry (id)", "PRAGMA application_id = 7"] {
            let path = directory.path("\(table.count).sqlite")
            let other = try DatabaseQueue.other(at: path)
            try await other.write { try $0.execute(sql: table) }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let before = try Untouched(directory)

            let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

            #expect(error?.refusal?.path == path)
            #expect(error?.refusal?.reason == "it is another program's database")
            #expect("\(try #require(error))".contains("Choose another place"))
            #expect(try Untouched(directory) == before)
            #expect(
                try await other.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete"
            )
        }
    }

    @Test func `a newer format is refused and left alone`() async throws {
        try await fill()
        try await inDatabase {
            try $0.execute(sql: "PRAGMA user_version = 1000; PRAGMA journal_mode = DELETE")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let before = try Untouched(directory)

        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

        guard case .newerFormat(path, found: 1000, supported: 4) = try #require(error) else {
            Issue.record("expected newerFormat, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("Update the program"))
        #expect(try Untouched(directory) == before)
    }

    @Test(arguments: [
        "my notes", "SQLite format 3\u{0}", String(repeating: "SQLite format 3\u{0}notes ", count: 100),
    ])
    func `a file of another kind is refused and left alone`(content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: path))
        let before = try Untouched(directory)

        for _ in 0..<2 {
            let error = #expect(throws: SQLiteHTTPCacheError.self) {
                try SQLiteHTTPCacheStore(path: path)
            }

            #expect(error?.refusal?.path == path)
            #expect(error?.refusal?.reason == "it is a file of another kind")
            #expect(try Untouched(directory) == before)
        }
    }

    @Test(arguments: ["", "12345\n"])
    func `a lock of something else says nothing of the file beside it`(lock: String) throws {
        try Data("my notes".utf8).write(to: URL(filePath: path))
        try Data(lock.utf8).write(to: URL(filePath: path + ".lock"))
        let before = try Untouched(directory)

        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is a file of another kind")
        #expect(try Untouched(directory) == before)
    }

    @Test(arguments: ["SELECT 1", "BEGIN EXCLUSIVE", "BEGIN; INSERT INTO notes VALUES (1)"])
    func `the database of another program is refused where a cache was before, too`(state: String) async throws {
        _ = try SQLiteHTTPCacheStore(path: path)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let other = try DatabaseQueue.other(at: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE notes (id)") }
        try await other.writeWithoutTransaction { try $0.execute(sql: state) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let before = try Untouched(directory)

        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try Untouched(directory) == before)
        let mode = try await other.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "delete")
    }

    @Test func `a new file says at once what it is, without its log`() throws {
        let store = try SQLiteHTTPCacheStore(path: path)
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        _ = try SQLiteHTTPCacheStore(path: path + ".copy")
        withExtendedLifetime(store) {}
    }

    @Test func `a wrong count of bytes is mended by whoever opens the file alone`() async throws {
        try await fill()
        let size = try await SQLiteHTTPCacheStore(path: path).size()
        try await inDatabase { try $0.execute(sql: "UPDATE state SET size = size * 2") }
        #expect(try await SQLiteHTTPCacheStore(path: path).size() == size)
    }

    @Test func `a link is followed, also to where nothing is yet, and stays`() async throws {
        let links = [directory.path("first"), directory.path("second")]
        try FileManager.default.createSymbolicLink(atPath: links[0], withDestinationPath: "second")
        try FileManager.default.createSymbolicLink(atPath: links[1], withDestinationPath: path)
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: links[0]))
        let entry = try await subject.insert(1, Data("new".utf8))

        let same = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        try await same.expect([entry], for: HTTPCacheStoreSubject.key(1))
        try await subject.store.removeAll()
        try await same.expect([], for: HTTPCacheStoreSubject.key(1))

        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(
            Set(names)
                == Set(["", "-wal", "-shm", ".lock", ".opening"].map { "cache.sqlite" + $0 } + ["first", "second"])
        )
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: links[0]) == "second")
        let file = try FileManager.default.attributesOfItem(atPath: path)
        #expect(file[.posixPermissions] as? Int == 0o600)
    }

    @Test func `links in a circle are an error`() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["cache.sqlite"])
    }

    @Test func `what was put aside is told, though nothing new can be opened`() async throws {
        _ = try SQLiteHTTPCacheStore(path: path)
        try Data(repeating: 7, count: 10_000).write(to: URL(filePath: path))

        #expect(throws: SQLiteHTTPCacheError.self) {
            try SQLiteHTTPCacheStore(
                path: path,
                onLoss: losses.add,
                prepare: { database in
                    let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                    if pages < 2 { throw DatabaseError(resultCode: .SQLITE_FULL) }
                }
            )
        }

        guard case .database(setAsideAt: path + ".unreadable", reason: _) = try #require(losses.all.first) else {
            Issue.record("expected database, found \(losses.all)")
            return
        }
        #expect(losses.all.count == 1)
    }

    @Test(arguments: ["/dev/null", "/dev/zero"])
    func `what is no file is refused and left alone`(path: String) throws {
        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
    }

    @Test func `the name of a folder is refused, whether there is one or not`() throws {
        let error = #expect(throws: SQLiteHTTPCacheError.self) {
            try SQLiteHTTPCacheStore(path: path + "/")
        }

        #expect(error?.refusal?.reason == "the name of a file does not end with a slash")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `an empty file becomes a cache`() async throws {
        try Data().write(to: URL(filePath: path))
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        try await subject.insert(1, Data("new".utf8))
    }

    @Test func `an older format is emptied and told`() async throws {
        try await fill()
        try await inDatabase { try $0.execute(sql: "CREATE TABLE old (a); PRAGMA user_version = -1") }

        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path, onLoss: losses.add))

        #expect(losses.all == [.olderFormat(-1)])
        #expect(try await subject.store.size() == 0)
        try await subject.insert(1, Data("new".utf8))
        let again = try SQLiteHTTPCacheStore(path: path, onLoss: losses.add)
        #expect(losses.all.count == 1)
        #expect(try await again.entries(for: HTTPCacheStoreSubject.key(1)).count == 1)
    }

    @Test(arguments: ["garbage ", "SQLite format 3\u{0}garbage "])
    func `a file that is no database is put aside, in place of the one before, and told`(
        content: String
    ) async throws {
        // Only what was a cache is taken for a damaged one.
        _ = try SQLiteHTTPCacheStore(path: path)
        for round in 1...2 {
            let garbage = Data(String(repeating: content, count: 1_000 * round).utf8)
            // A file of its own, into which a store that is just being closed writes nothing.
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try garbage.write(to: URL(filePath: path))
            try garbage.write(to: URL(filePath: path + "-wal"))

            let store = try SQLiteHTTPCacheStore(path: path, onLoss: losses.add)

            guard case .database(setAsideAt: path + ".unreadable", reason: _) = try #require(losses.all.last) else {
                Issue.record("expected database, found \(losses.all)")
                return
            }
            #expect(losses.all.count == round)
            #expect(try Data(contentsOf: URL(filePath: path + ".unreadable")) == garbage)
            try await HTTPCacheStoreSubject(store).insert(1, Data("new".utf8))
        }
    }

    @Test(arguments: 1...16)
    func `a database cut short begins anew, or what is left of it is whole`(sixteenths: Int) async throws {
        try await fill()
        try await inDatabase { _ = try $0.checkpoint(.truncate) }
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.prefix(whole.count * sixteenths / 16 - 1).write(to: URL(filePath: path))

        let store = try SQLiteHTTPCacheStore(path: path, onLoss: losses.add)

        #expect(!losses.all.isEmpty)
        for number in 1...3 {
            for entry in try await store.entries(for: HTTPCacheStoreSubject.key(number)) {
                let bytes = HTTPCacheStoreSubject.bytes(number, count: 200_000)
                try await HTTPCacheStoreSubject(store).expect(body: bytes, of: entry.id)
            }
        }
        try await HTTPCacheStoreSubject(store).insert(4, Data("new".utf8))
    }

    @Test func `what is left beside a file that was deleted is not taken for a part of the new one`() async throws {
        let old = try SQLiteHTTPCacheStore(path: path)
        try await HTTPCacheStoreSubject(old).insert(1, Data("old".utf8))
        try FileManager.default.removeItem(atPath: path)

        let store = try SQLiteHTTPCacheStore(path: path, onLoss: losses.add)

        #expect(losses.all == [])
        #expect(try await store.size() == 0)
        try await HTTPCacheStoreSubject(store).insert(2, Data("new".utf8))
        withExtendedLifetime(old) {}
    }

    @Test func `stores that open a new place at once all find the tables there`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { [path] in
                    try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path)).insert(
                        number,
                        Data("\(number)".utf8)
                    )
                }
            }
            try await group.waitForAll()
        }
        let store = try SQLiteHTTPCacheStore(path: path)
        for number in 0..<6 { #expect(try await store.entries(for: HTTPCacheStoreSubject.key(number)).count == 1) }
    }

    private func fill() async throws {
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 1...3 { try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 200_000)) }
    }

    private func inDatabase(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await OpenedStore.inDatabase(at: path, work)
    }
}

/// All that must not change in a folder: which files there are, what is in them, and who may read them.
private struct Untouched: Equatable {
    private let files: [String: Data]
    private let permissions: [String: Int?]

    init(_ directory: borrowing TemporaryDirectory) throws {
        let folder = directory.url
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        files = try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
        )
        permissions = try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: folder.appending(path: name).path
                )
                return (name, attributes[.posixPermissions] as? Int)
            }
        )
    }
}
