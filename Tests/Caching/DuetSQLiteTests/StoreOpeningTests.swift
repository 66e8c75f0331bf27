import DuetSQLite
import FeedTesting
import Foundation
import GRDB
import Testing

/// Paths, links, and files that are not those of a store, the same for stores of all kinds.
@Suite(.serialized) struct StoreOpeningTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let losses = Losses()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    // MARK: Paths

    @Test func `a relative path keeps its meaning when the current folder changes`() async throws {
        let process = try ReportingProcess("StoreWriter", ["leave", path, "7"])
        #expect(try process.wait(forSteps: 1))
        try process.finish()

        #expect(try await StoreFile.number("SELECT count(*) FROM value", at: path) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a folder that cannot be created is named`(kind: StoreKind) async throws {
        try Data().write(to: directory.appending("file"))
        let path = directory.path("file/folder/store.sqlite")

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        guard case .cannotOpen(path, _) = try #require(error) else {
            Issue.record("expected cannotOpen, found \(String(describing: error))")
            return
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a folder that cannot be written to is an error`(kind: StoreKind) async throws {
        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open("/proc/store.sqlite") }
        guard case .cannotOpen("/proc/store.sqlite", _) = try #require(error) else {
            Issue.record("expected cannotOpen, found \(String(describing: error))")
            return
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a hard link to a file in use is named as the reason`(kind: StoreKind) async throws {
        let store = try await kind.open(path)
        try await store.insert(1)
        let link = directory.path("link.sqlite")
        try FileManager.default.linkItem(atPath: path, toPath: link)

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(link) }

        #expect("\(try #require(error))".contains("disk I/O error; it has other names, hard links"))
        #expect(try await store.contains(1))
    }

    @Test(arguments: StoreKind.allCases)
    func `a folder in place of the file is refused and left unchanged`(kind: StoreKind) async throws {
        try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: true)

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is not a regular file")
        #expect(FileManager.default.fileExists(atPath: path + "/folder"))
    }

    @Test(arguments: StoreKind.allCases, ["/dev/null", "/dev/zero"])
    func `a device is refused and left unchanged`(kind: StoreKind, path: String) async throws {
        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        #expect(error?.refusal?.path == path)
    }

    @Test(arguments: StoreKind.allCases)
    func `a link is followed, even before its file exists, and stays`(kind: StoreKind) async throws {
        let links = [directory.path("first"), directory.path("second")]
        try FileManager.default.createSymbolicLink(atPath: links[0], withDestinationPath: "second")
        try FileManager.default.createSymbolicLink(atPath: links[1], withDestinationPath: path)
        let store = try await kind.open(links[0])
        try await store.insert(1)

        #expect(try await kind.open(path).contains(1))

        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(
            Set(names) == Set(["", "-wal", "-shm", ".lock"].map { "store.sqlite" + $0 } + ["first", "second"])
        )
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: links[0]) == "second")
        let file = try FileManager.default.attributesOfItem(atPath: path)
        #expect(file[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: StoreKind.allCases)
    func `links in a circle are an error`(kind: StoreKind) async throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["store.sqlite"])
    }

    // MARK: Files of others

    @Test(
        arguments: StoreKind.allCases,
        [
            "my notes", "SQLite format 3\u{0}", String(repeating: "SQLite format 3\u{0}notes ", count: 100),
            String(repeating: "notes ", count: 10_000),
        ]
    )
    func `a file that is not a database is refused and left unchanged`(kind: StoreKind, content: String) async throws {
        try Data(content.utf8).write(to: URL(filePath: path))
        let before = try Untouched(directory)

        for _ in 0..<2 {
            let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

            #expect(error?.refusal?.path == path)
            #expect(error?.refusal?.reason == "it is not an SQLite database")
            #expect(try Untouched(directory) == before)
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        // The last number is "Duet" in ASCII, which no store has.
        ["CREATE TABLE value (id)", "PRAGMA application_id = 7", "PRAGMA application_id = \(0x4475_6574)"]
    )
    func `the database of another program is refused and left unchanged`(kind: StoreKind, content: String) async throws
    {
        let other = try DatabaseQueue.other(at: path)
        try await other.write { try $0.execute(sql: content) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is another program's database")
        #expect("\(try #require(error))".contains("Choose another path"))
        #expect(try Untouched(directory) == before)
        #expect(try await other.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
    }

    @Test(arguments: StoreKind.allCases)
    func `a closed file of a newer format is refused and left unchanged, without anything beside it`(kind: StoreKind)
        async throws
    {
        try await fill(kind)
        try await StoreFile.inDatabase(at: path) {
            try $0.execute(sql: "PRAGMA user_version = 1000; PRAGMA journal_mode = DELETE")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try FileManager.default.removeItem(atPath: path + ".lock")
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        guard case .newerFormat(path, found: 1000, supported: _) = try #require(error) else {
            Issue.record("expected newerFormat, found \(String(describing: error))")
            return
        }
        #expect(try Untouched(directory) == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `a locked database of another program is left unchanged`(kind: StoreKind) async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE notes (id)") }
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await kind.open(path, busyTimeout: .milliseconds(30))
        }

        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try Untouched(directory) == before)
        try other.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `a new database of another program, whose tables are in its log, is left unchanged`(kind: StoreKind)
        async throws
    {
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE notes (id)")
        }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + suffix)
        }
        let files = ["", "-wal"].map { URL(filePath: path + $0) }
        let before = try files.map { try Data(contentsOf: $0) }

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try files.map { try Data(contentsOf: $0) } == before)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
        try other.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `a damaged database without the number of a store is left unchanged`(kind: StoreKind) async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.write { database in
            try database.execute(sql: "CREATE TABLE notes (id); INSERT INTO notes VALUES (zeroblob(100000))")
        }
        try other.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        let before = try Untouched(directory)

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        #expect(error?.refusal?.reason == "it is another program's database")
        #expect(try Untouched(directory) == before)
    }

    // MARK: Files of the store

    @Test(arguments: StoreKind.allCases)
    func `an empty file becomes that of a store`(kind: StoreKind) async throws {
        try Data().write(to: URL(filePath: path))
        try await kind.open(path).insert(1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a new file has its format number at once, without its log`(kind: StoreKind) async throws {
        let store = try await kind.open(path)
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        _ = try await kind.open(path + ".copy")
        withExtendedLifetime(store) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func `stores that wait for a locked file leave the threads of tasks free`() async throws {
        let other = try DatabaseQueue.other(at: path)
        try await other.writeWithoutTransaction {
            try $0.execute(
                sql: "PRAGMA application_id = \(0x4475_6556); PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"
            )
        }
        // More than there are threads.
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        let opening = (0..<count).map { _ in
            Task { [path] in try await SQLiteCacheStore(path: path, busyTimeout: .seconds(600)) }
        }
        // It runs only if a thread is free, and ends what the others wait for.
        try await Task.detached {
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try other.close()
        }.value
        for task in opening { #expect(try await task.value.size() == 0) }
    }

    @Test(arguments: StoreKind.allCases, [["-shm"], ["-shm", "-wal"], [""], ["", "-wal"]])
    func `killed while it sets a file aside, a process leaves no file that the next one mistakes for its own`(
        kind: StoreKind,
        moved: [String]
    ) async throws {
        let old = directory.path("old.sqlite")
        do {
            let store = try await kind.open(old)
            try await store.insert(1)
            // While it is open, its log exists.
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.copyItem(atPath: old + suffix, toPath: path + suffix)
            }
            withExtendedLifetime(store) {}
        }
        for suffix in moved {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: path + ".unreadable" + suffix)
        }

        let store = try await kind.open(path, onLoss: losses.add)

        #expect(losses.all == [])
        // Without its index alone, the database with its log is still whole, and is used.
        #expect(try await store.contains(1) == (moved == ["-shm"]))
        try await store.insert(2)
        #expect(try await store.contains(2))
        try await StoreFile.inDatabase(at: path) {
            let state = try String.fetchOne($0, sql: "PRAGMA integrity_check")
            #expect(state == "ok")
        }
    }

    /// Stores entries, and waits until the store has released the file.
    private func fill(_ kind: StoreKind) async throws {
        try await {
            let store = try await kind.open(path)
            for number in 1...3 { try await store.insert(number) }
        }()
        let lock = try FileHandle(forReadingFrom: URL(filePath: path + ".lock"))
        defer { try? lock.close() }
        while flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) != 0 { await Task.yield() }
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
