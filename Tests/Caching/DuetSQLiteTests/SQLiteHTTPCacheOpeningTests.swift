import DuetContracts
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Testing

@Suite(.serialized) struct SQLiteHTTPCacheOpeningTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let losses = Losses()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cache.sqlite")
    }

    @Test func `a relative path keeps its meaning when the current folder changes`() async throws {
        let process = try ReportingProcess("HTTPCacheWriter", ["leave", path, "7"])
        #expect(try process.wait(forSteps: 1))
        try process.finish()

        let store = try await SQLiteHTTPCacheStore(path: path, onLoss: losses.add)
        #expect(try await store.entries(for: HTTPCacheStoreSubject.key(7)).count == 1)
    }

    @Test func `opened with less room, it removes the least recently used responses`() async throws {
        let count = 800
        do {
            let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
            for number in 1...count { try await subject.insert(number, Data("\(number)".utf8)) }
        }

        let store = try await SQLiteHTTPCacheStore(path: path, capacity: 10_000, onLoss: losses.add)

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

    @Test func `a folder that cannot be created is named`() async throws {
        try Data().write(to: directory.appending("file"))
        let path = directory.path("file/folder/cache.sqlite")

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

        guard case .cannotOpen(path, _) = try #require(error) else {
            Issue.record("expected cannotOpen, found \(String(describing: error))")
            return
        }
    }

    @Test func `a folder that cannot be written to is an error`() async throws {
        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteHTTPCacheStore(path: "/proc/cache.sqlite")
        }
        guard case .cannotOpen("/proc/cache.sqlite", _) = try #require(error) else {
            Issue.record("expected cannotOpen, found \(String(describing: error))")
            return
        }
    }

    @Test func `a folder in place of the file is refused and left unchanged`() async throws {
        try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: true)

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is not a regular file")
        #expect(FileManager.default.fileExists(atPath: path + "/folder"))
    }

    @Test func `the database of another program is refused and left unchanged`() async throws {
        for table in ["CREATE TABLE entry (id)", "PRAGMA application_id = 7"] {
            let path = directory.path("\(table.count).sqlite")
            let other = try DatabaseQueue.other(at: path)
            try await other.write { try $0.execute(sql: table) }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let before = try Untouched(directory)

            let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

            #expect(error?.refusal?.path == path)
            #expect(error?.refusal?.reason == "it is another program's database")
            #expect("\(try #require(error))".contains("Choose another path"))
            #expect(try Untouched(directory) == before)
            #expect(
                try await other.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete"
            )
        }
    }

    @Test func `a newer format is refused and left unchanged`() async throws {
        try await fill()
        try await inDatabase {
            try $0.execute(sql: "PRAGMA user_version = 1000; PRAGMA journal_mode = DELETE")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try FileManager.default.removeItem(atPath: path + ".lock")
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

        guard case .newerFormat(path, found: 1000, supported: 5) = try #require(error) else {
            Issue.record("expected newerFormat, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("Update the program"))
        #expect(try Untouched(directory) == before)
    }

    @Test(arguments: [
        "my notes", "SQLite format 3\u{0}", String(repeating: "SQLite format 3\u{0}notes ", count: 100),
        String(repeating: "notes ", count: 10_000),
    ])
    func `a file that is not a database is refused and left unchanged`(content: String) async throws {
        try Data(content.utf8).write(to: URL(filePath: path))
        let before = try Untouched(directory)

        for _ in 0..<2 {
            let error = await #expect(throws: SQLiteStoreError.self) {
                try await SQLiteHTTPCacheStore(path: path)
            }

            #expect(error?.refusal?.path == path)
            #expect(error?.refusal?.reason == "it is not an SQLite database")
            #expect(try Untouched(directory) == before)
        }
    }

    @Test func `a locked database of another program is left unchanged`() async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE notes (id)") }
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteHTTPCacheStore(path: path, busyTimeout: .milliseconds(30))
        }

        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try Untouched(directory) == before)
        try other.close()
    }

    @Test func `a new database of another program, whose tables are in its log, is left unchanged`() async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE notes (id)")
        }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + suffix)
        }
        let files = ["", "-wal"].map { URL(filePath: path + $0) }
        let before = try files.map { try Data(contentsOf: $0) }

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try files.map { try Data(contentsOf: $0) } == before)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
        try other.close()
    }

    @Test func `a damaged database without the number of a cache is left unchanged`() async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.write { database in
            try database.execute(sql: "CREATE TABLE notes (id); INSERT INTO notes VALUES (zeroblob(100000))")
        }
        try other.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try Untouched(directory) == before)
    }

    @Test(.timeLimit(.minutes(1)))
    func `stores that wait for a locked file leave the threads of tasks free`() async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction {
            try $0.execute(
                sql: "PRAGMA application_id = \(0x4475_6574); PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"
            )
        }
        // More than there are threads.
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        let opening = (0..<count).map { _ in
            Task { [path] in try await SQLiteHTTPCacheStore(path: path, busyTimeout: .seconds(600)) }
        }
        // It runs only if a thread is free, and ends what the others wait for.
        try await Task.detached {
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try other.close()
        }.value
        for task in opening { #expect(try await task.value.size() == 0) }
    }

    @Test func `a new file has its format number at once, without its log`() async throws {
        let store = try await SQLiteHTTPCacheStore(path: path)
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        _ = try await SQLiteHTTPCacheStore(path: path + ".copy")
        withExtendedLifetime(store) {}
    }

    @Test func `a link is followed, even before its file exists, and stays`() async throws {
        let links = [directory.path("first"), directory.path("second")]
        try FileManager.default.createSymbolicLink(atPath: links[0], withDestinationPath: "second")
        try FileManager.default.createSymbolicLink(atPath: links[1], withDestinationPath: path)
        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: links[0]))
        let entry = try await subject.insert(1, Data("new".utf8))

        let same = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        try await same.expect([entry], for: HTTPCacheStoreSubject.key(1))
        try await subject.store.removeAll()
        try await same.expect([], for: HTTPCacheStoreSubject.key(1))

        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(
            Set(names)
                == Set(["", "-wal", "-shm", ".lock"].map { "cache.sqlite" + $0 } + ["first", "second"])
        )
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: links[0]) == "second")
        let file = try FileManager.default.attributesOfItem(atPath: path)
        #expect(file[.posixPermissions] as? Int == 0o600)
    }

    @Test func `links in a circle are an error`() async throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["cache.sqlite"])
    }

    @Test(arguments: ["/dev/null", "/dev/zero"])
    func `a device is refused and left unchanged`(path: String) async throws {
        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteHTTPCacheStore(path: path) }

        #expect(error?.refusal?.path == path)
    }

    @Test func `an empty file becomes a cache`() async throws {
        try Data().write(to: URL(filePath: path))
        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        try await subject.insert(1, Data("new".utf8))
    }

    @Test func `an older format is emptied and reported`() async throws {
        try await fill()
        try await inDatabase { try $0.execute(sql: "CREATE TABLE old (a); PRAGMA user_version = -1") }

        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path, onLoss: losses.add))

        #expect(losses.all == [.olderFormat(-1)])
        #expect(try await subject.store.size() == 0)
        try await subject.insert(1, Data("new".utf8))
        let again = try await SQLiteHTTPCacheStore(path: path, onLoss: losses.add)
        #expect(losses.all.count == 1)
        #expect(try await again.entries(for: HTTPCacheStoreSubject.key(1)).count == 1)
    }

    @Test(arguments: [["-shm"], ["-shm", "-wal"], [""], ["", "-wal"]])
    func `killed while it sets a file aside, a process leaves no file that the next one mistakes for its own`(
        moved: [String]
    ) async throws {
        let old = directory.path("old.sqlite")
        do {
            let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: old))
            try await subject.insert(1, OpenedStore.bytes)
            // While it is open, its log exists.
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.copyItem(atPath: old + suffix, toPath: path + suffix)
            }
            withExtendedLifetime(subject) {}
        }
        for suffix in moved {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: path + ".unreadable" + suffix)
        }

        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path, onLoss: losses.add))

        #expect(losses.all == [])
        // Without its index alone, the database with its log is still whole, and is used.
        #expect(try await (subject.store.size() > 0) == (moved == ["-shm"]))
        let new = try await subject.insert(2, OpenedStore.bytes)
        try await subject.expect(body: OpenedStore.bytes, of: new.id)
        try await OpenedStore.inDatabase(at: path) {
            let state = try String.fetchOne($0, sql: "PRAGMA integrity_check")
            #expect(state == "ok")
        }
    }

    /// Stores responses, and waits until the store has released the file.
    private func fill() async throws {
        try await {
            let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
            for number in 1...3 {
                try await subject.insert(number, HTTPCacheStoreSubject.bytes(number, count: 200_000))
            }
        }()
        let lock = try FileHandle(forReadingFrom: URL(filePath: path + ".lock"))
        defer { try? lock.close() }
        while flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) != 0 { await Task.yield() }
    }

    private func inDatabase(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await OpenedStore.inDatabase(at: path, work)
    }
}

/// The state of a folder that must not change: its files, their contents, and their permissions.
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
