import DuetSQLite
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// Opening, refusing, and renaming files, the same for stores of all kinds.
@Suite(.serialized) struct StoreFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let losses = Losses()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("a/b/store.sqlite")
    }

    @Test(arguments: StoreKind.allCases)
    func `folders and files are for their owner only, and stay so`(kind: StoreKind) async throws {
        for number in 1...2 {
            let store = try await kind.open(path)
            try await store.insert(number)
            for name in ["a", "a/b"] { #expect(try permissions(directory.path(name)) == 0o700) }
            for suffix in ["", "-wal", "-shm", ".lock"] {
                #expect(try permissions(path + suffix) == 0o600, "\(suffix)")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `stores that create a file at the same time all find its tables`(kind: StoreKind) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { [path] in try await kind.open(path).insert(number) }
            }
            try await group.waitForAll()
        }
        let store = try await kind.open(path)
        for number in 0..<6 { #expect(try await store.contains(number)) }
    }

    @Test(arguments: StoreKind.allCases, StoreKind.allCases)
    func `a store opens its own kind of file, and refuses others and leaves them unchanged`(
        kind: StoreKind,
        other: StoreKind
    ) async throws {
        let store = try await kind.open(path)
        try await store.insert(1)
        guard kind != other else {
            #expect(try await other.open(path).contains(1))
            return
        }
        let error = await #expect(throws: SQLiteStoreError.self) { try await other.open(path) }
        #expect(error?.refusal?.reason == "it is another program's database")
        #expect("\(try #require(error))".contains("Choose another path"))
        #expect(try await store.contains(1))
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `a newer format is refused and left unchanged`(kind: StoreKind, isInLog: Bool) async throws {
        let store = try await kind.open(path)
        try await store.insert(1)
        try await StoreFile.inDatabase(at: path) {
            _ = try $0.checkpoint(.truncate)
            try $0.execute(sql: "PRAGMA user_version = 1000")
            if !isInLog { _ = try $0.checkpoint(.truncate) }
        }
        let before = try Data(contentsOf: URL(filePath: path))

        let error = await #expect(throws: SQLiteStoreError.self) { try await kind.open(path) }

        guard case .newerFormat(path, found: 1000, supported: _) = try #require(error) else {
            Issue.record("expected newerFormat, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("Update the program"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try await store.contains(1))
    }

    @Test(arguments: StoreKind.allCases, 1...8)
    func `a file cut short is renamed with its bytes and reported once, and the store starts over`(
        kind: StoreKind,
        eighths: Int
    ) async throws {
        let store = try await kind.open(path)
        for number in 1...3 { try await store.insert(number) }
        try await StoreFile.inDatabase(at: path) { _ = try $0.checkpoint(.truncate) }
        let whole = try Data(contentsOf: URL(filePath: path))
        let cut = whole.prefix(whole.count * eighths / 8 - 1)
        let next = directory.path("next.sqlite")
        try cut.write(to: URL(filePath: next))

        for number in 4...5 { try await kind.open(next, onLoss: losses.add).insert(number) }

        #expect(losses.all.count == 1)
        #expect(kind.isLoss(try #require(losses.all.first), renamedTo: next + ".unreadable"), "\(losses.all)")
        #expect(try Data(contentsOf: URL(filePath: next + ".unreadable")) == cut)
        let again = try await kind.open(next)
        for number in 4...5 { #expect(try await again.contains(number)) }
    }

    @Test(
        arguments: [
            (.values, "value"), (.values, "usage"), (.values, "tag"), (.values, "state"), (.commands, "command"),
            (.commands, "state"),
        ] as [(StoreKind, String)]
    )
    func `without one of its tables a file is damaged, and the next start renames it and reports that once`(
        kind: StoreKind,
        table: String
    ) async throws {
        let store = try await kind.open(path, onLoss: losses.add)
        try await store.insert(1)
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE \(table)") }

        let error = await #expect(throws: SQLiteStoreError.self) { try await store.insert(2) }

        guard case .damaged(path, reason: _) = try #require(error) else {
            Issue.record("expected damaged, found \(String(describing: error))")
            return
        }
        #expect(losses.all.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
        let next = directory.path("next.sqlite")
        try StoreFile.copy(from: path, to: next)
        let again = try await kind.open(next, onLoss: losses.add)
        #expect(losses.all.count == 1)
        #expect(kind.isLoss(try #require(losses.all.first), renamedTo: next + ".unreadable"), "\(losses.all)")
        let tables = try await StoreFile.number(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('value', 'command', 'state')",
            at: next + ".unreadable"
        )
        #expect(tables == (["value", "command", "state"].contains(table) ? 1 : 2))
        try await again.insert(3)
        #expect(try await again.contains(3))
        #expect(try await !again.contains(1))
    }

    @Test(
        arguments: [(.values, "value"), (.commands, "command")] as [(StoreKind, String)],
        [
            """
            CREATE VIEW $ AS WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT old.* FROM old, r
            """,
            "CREATE VIRTUAL TABLE $ USING fts5 (id)",
            "CREATE TABLE $ AS SELECT * FROM old; CREATE TRIGGER other AFTER INSERT ON $ BEGIN SELECT 1; END",
            // The row of the schema claims that the view is a table with pages, which SQLite may notice before.
            """
            CREATE VIEW $ AS SELECT * FROM old; PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET type = 'table', rootpage = 2 WHERE name = '$'; PRAGMA writable_schema = OFF
            """,
        ]
    )
    func `with a view, a trigger or a virtual table of another program a file is damaged, and is not read`(
        table: (kind: StoreKind, name: String),
        statement: String
    ) async throws {
        do { try await table.kind.open(path).insert(1) }
        try await StoreFile.inDatabase(at: path) {
            try $0.execute(sql: "DROP TRIGGER IF EXISTS \(table.name)Inserted; ALTER TABLE \(table.name) RENAME TO old")
            try $0.execute(sql: statement.replacing("$", with: table.name))
        }

        let next = try await table.kind.open(path, onLoss: losses.add)

        let loss = try #require(losses.all.first)
        #expect(table.kind.isLoss(loss, renamedTo: path + ".unreadable") && losses.all.count == 1)
        let reason = "\(loss)"
        #expect(reason.contains("another program has added to it: CREATE ") || reason.contains("malformed"), "\(loss)")
        try await next.insert(2)
        #expect(try await next.contains(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `no connection trusts the functions that a file names`(kind: StoreKind) async throws {
        let trusted = Mutex<[Int]>([])
        try await DatabaseFile.$prepareConnection.withValue({ db in
            let isTrusted = try Int.fetchOne(db, sql: "PRAGMA trusted_schema") ?? 1
            trusted.withLock { $0.append(isTrusted) }
        }) {
            let store = try await kind.open(path)
            try await store.insert(1)
            #expect(try await store.contains(1))
        }
        let found = trusted.withLock { $0 }
        #expect(found.count >= 3 && found.allSatisfy { $0 == 0 }, "\(found)")
    }

    @Test(arguments: StoreKind.allCases)
    func `a file without the row of its state is renamed at the next start`(kind: StoreKind) async throws {
        try await kind.open(path).insert(1)
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: "DELETE FROM state") }
        try await kind.open(path, onLoss: losses.add).insert(2)
        #expect(losses.all.count == 1)
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
