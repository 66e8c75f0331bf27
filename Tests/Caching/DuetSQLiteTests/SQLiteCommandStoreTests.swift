import Duet
import DuetCaching
import DuetContext
import DuetContracts
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

@Suite(.serialized) struct SQLiteCommandStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("commands.sqlite")
    }

    @Test(arguments: CommandStoreContract.allCases)
    func `it meets the contract of stores of commands`(clause: CommandStoreContract) async throws {
        try await clause.verify { try await SQLiteCommandStore.open(path, limit: $0) }
    }

    // MARK: Formats

    @Test(arguments: [true, false])
    func `a file of the first format keeps its commands, whether it has principals or not`(hasPrincipals: Bool)
        async throws
    {
        let principal = hasPrincipals ? ", principal BLOB" : ""
        // The tables and the settings of the first format.
        let file = try DatabaseQueue(path: path)
        try await file.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA application_id = 0x44756543;
                    CREATE TABLE command (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, name BLOB NOT NULL,
                        version INTEGER NOT NULL, key BLOB NOT NULL, date INTEGER NOT NULL,
                        idempotencyKey BLOB NOT NULL\(principal), size INTEGER NOT NULL, attempts INTEGER NOT NULL,
                        failure BLOB, bytes BLOB NOT NULL
                    );
                    CREATE TABLE state (size INTEGER NOT NULL, count INTEGER NOT NULL);
                    CREATE TRIGGER commandInserted AFTER INSERT ON command BEGIN
                        UPDATE state SET size = size + new.size, count = count + 1;
                    END;
                    CREATE TRIGGER commandDeleted AFTER DELETE ON command BEGIN
                        UPDATE state SET size = size - old.size, count = count - 1;
                    END;
                    INSERT INTO state VALUES (0, 0);
                    PRAGMA user_version = 1;
                    PRAGMA journal_mode = WAL;
                    """
            )
            for number in [2, 1] {
                let command = CommandStoreSubject.command(number)
                try database.execute(
                    sql: """
                        INSERT INTO command (id, name, version, key, date, idempotencyKey, size, attempts, bytes)
                        VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)
                        """,
                    arguments: [
                        command.id, Data(command.name.utf8), command.version, Data(command.key.utf8),
                        Int64(bitPattern: command.date.timeIntervalSinceReferenceDate.bitPattern),
                        Data(command.idempotencyKey.utf8), command.size, command.bytes,
                    ]
                )
            }
            if hasPrincipals {
                try database.execute(sql: #"UPDATE command SET principal = CAST('["ann","write"]' AS BLOB)"#)
            }
        }
        try file.close()

        let limit = CommandStoreLimit(commands: 3)
        for added in [[], [3]] {
            let store = try await SQLiteCommandStore.open(path, limit: limit, onLoss: { Issue.record("\($0)") })
            for number in added { try await store.insert(CommandStoreSubject.command(number)) }
            let principal = hasPrincipals ? Principal(id: "ann", scopes: ["write"]) : nil
            let old = [2, 1].map { CommandStoreSubject.command($0, principal: principal) }
            try await CommandStoreSubject(store).expect(old + added.map { CommandStoreSubject.command($0) })
        }
        let full = try await SQLiteCommandStore.open(path, limit: limit)
        await #expect(throws: CommandStoreFull.self) { try await full.insert(CommandStoreSubject.command(4)) }
    }

    @Test func `the file of the lock is for its owner only, and a file that cannot be locked is an error`() async throws
    {
        let store = try await SQLiteCommandStore.open(path)
        let claim = try await store.claimSending()
        let attributes = try FileManager.default.attributesOfItem(atPath: path + ".sender")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        withExtendedLifetime(claim) {}
        try FileManager.default.removeItem(atPath: path + ".sender")
        try FileManager.default.createDirectory(atPath: path + ".sender", withIntermediateDirectories: false)
        await #expect(throws: SQLiteStoreError.self) { try await store.claimSending() }
    }

    // MARK: Durability

    @Test func `each commit waits for the disk`() async throws {
        let settings = Mutex<[String]>([])
        _ = try await DatabaseFile.$prepareConnection.withValue({ database in
            guard !database.configuration.readonly else { return }
            database.trace { event in
                let statement = "\(event)"
                if statement.contains("synchronous =") { settings.withLock { $0.append(statement) } }
            }
        }) { try await SQLiteCommandStore.open(path) }
        // The last one counts.
        #expect(settings.withLock(\.last)?.contains("synchronous = FULL") == true)
    }

    @Test(arguments: [true, false])
    func `killed at any moment, a process loses no command that it has reported`(isKilledFromOutside: Bool) async throws
    {
        var generator = SeededGenerator(seed: 7)
        var first = 0
        for round in 1...max(1, faultRounds / 2) {
            // A few statements belong to the opening.
            let statement = isKilledFromOutside ? Int.max : 12 + (round * 11) % 100
            let writer = try ReportingProcess("StoreWriter", ["commands", path, "\(first)", "\(statement)"])
            var reported = 0
            if isKilledFromOutside {
                reported = Int.random(in: 1...12, using: &generator)
                try #require(try writer.wait(forSteps: reported), "the writer ended by itself (round \(round))")
            } else {
                try writer.finish()
            }
            reported += writer.kill()
            first = try await check(first: first, last: first + reported - 1, "round \(round), statement \(statement)")
            // Identifiers repeat after 65,536 commands.
            try #require(first < 60_000)
        }
    }

    /// Checks that all reported commands are there in order and whole, and returns the number of the next command.
    private func check(first: Int, last: Int, _ what: String) async throws -> Int {
        let found = try await SQLiteCommandStore.open(path, onLoss: { Issue.record("\($0)") }).all()
        let next = try (found.last.map { try number(of: $0) } ?? -1) + 1
        // One more may have been stored and not yet reported.
        try require((last + 1...last + 2).contains(next), toBe: true, "\(what): found \(next) for \(last + 1)")
        for command in found {
            let number = try number(of: command)
            let sample = CommandStoreSubject.command(number, count: number % 3 * 20_000)
            try require(command.bytes == sample.bytes, toBe: true, "\(what): the bytes of \(number) are whole")
            if command.attempts != 0 { try require(command.failure, toBe: "Rejected", "\(what): the failure") }
        }
        let numbers = try found.map { try number(of: $0) }
        try require(numbers, toBe: numbers.sorted(), "\(what): the order")
        // All but those that the writer has removed.
        let expected = Set((0..<next).suffix(10))
        try require(expected.isSubset(of: numbers), toBe: true, "\(what): found \(numbers), of \(expected.sorted())")
        return next
    }

    private func number(of command: StoredCommand) throws -> Int {
        let bytes = command.id.uuid
        let number = Int(bytes.14) << 8 | Int(bytes.15)
        try require(command.id, toBe: CommandStoreSubject.id(number), "the identifier")
        return number
    }

    // MARK: Files

    @Test func `a damaged command is found, and the next start renames the file and reports lost commands`()
        async throws
    {
        let losses = Losses()
        let store = try await SQLiteCommandStore.open(path, onLoss: losses.add)
        for number in 1...3 { try await store.insert(CommandStoreSubject.command(number)) }
        try await StoreFile.inDatabase(at: path) { try $0.execute(sql: "UPDATE command SET date = 'now'") }
        await #expect(throws: SQLiteStoreError.self) { try await store.all() }
        #expect(losses.all.isEmpty)
        let next = directory.path("next.sqlite")
        try StoreFile.copy(from: path, to: next)

        let again = try await SQLiteCommandStore.open(next, onLoss: losses.add)

        try await CommandStoreSubject(again).expect([])
        try await again.insert(CommandStoreSubject.command(1))
        guard case .commands(renamedTo: next + ".unreadable", reason: _) = try #require(losses.all.first) else {
            Issue.record("expected commands, found \(losses.all)")
            return
        }
        #expect(losses.all.count == 1)
        #expect("\(losses.all)".contains("Queued commands are lost and will not be sent"))
        #expect(FileManager.default.fileExists(atPath: next + ".unreadable"))
    }

    @Test func `removing everything leaves no bytes in the files`() async throws {
        let store = try await SQLiteCommandStore.open(path)
        let command = CommandStoreSubject.command(1, name: "Secret.Command")
        try await store.insert(command)
        try await store.removeAll()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
            let bytes = try Data(contentsOf: directory.appending(name))
            #expect(bytes.range(of: Data("Secret.Command".utf8)) == nil)
        }
    }

    @Test func `two commands with one identifier are not stored`() async throws {
        let store = try await SQLiteCommandStore.open(path)
        try await store.insert(CommandStoreSubject.command(1))
        await #expect(throws: SQLiteStoreError.self) { try await store.insert(CommandStoreSubject.command(1)) }
        try await CommandStoreSubject(store).expect([CommandStoreSubject.command(1)])
    }

    @Test func `each interrupted statement leaves the command stored completely or not at all`() async throws {
        for statement in 1...12 {
            let interruption = Interruption()
            let path = directory.path("interrupted \(statement).sqlite")
            let store = try await DatabaseFile.$prepareConnection.withValue(interruption.prepare) {
                try await SQLiteCommandStore.open(path)
            }
            try await store.insert(CommandStoreSubject.command(1))
            interruption.arm(at: statement)
            let isStored = (try? await store.insert(CommandStoreSubject.command(2))) != nil
            interruption.arm(at: nil)
            let numbers = isStored ? 1...2 : 1...1
            try await CommandStoreSubject(store).expect(numbers.map { CommandStoreSubject.command($0) })
            try await store.insert(CommandStoreSubject.command(3))
        }
    }
}
