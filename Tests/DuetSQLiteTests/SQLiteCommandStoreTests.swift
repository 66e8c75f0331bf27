import DuetCaching
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
        try await clause.verify { try await SQLiteCommandStore(path: path, limit: $0) }
    }

    // MARK: Durability

    @Test func `each commit waits for the disk`() async throws {
        let settings = Mutex<[String]>([])
        _ = try await SQLiteCommandStore(path: path) { database in
            guard !database.configuration.readonly else { return }
            database.trace { event in
                let statement = "\(event)"
                if statement.contains("synchronous =") { settings.withLock { $0.append(statement) } }
            }
        }
        // The last one counts.
        #expect(settings.withLock(\.last)?.contains("synchronous = FULL") == true)
    }

    @Test(arguments: [true, false])
    func `a killed process loses no command that it has reported`(isKilledFromOutside: Bool) async throws {
        var generator = SeededGenerator(seed: 7)
        var first = 0
        for round in 1...max(1, faultRounds / 2) {
            // A few statements belong to the opening.
            let statement = isKilledFromOutside ? Int.max : 12 + (round * 11) % 100
            let writer = try ReportingProcess("HTTPCacheWriter", ["commands", path, "\(first)", "\(statement)"])
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
        let found = try await SQLiteCommandStore(path: path, onLoss: { Issue.record("\($0)") }).all()
        let next = try (found.last.map { try number(of: $0) } ?? -1) + 1
        // One more may have been stored and not yet reported.
        try expect((last + 1...last + 2).contains(next), toBe: true, "\(what): found \(next) for \(last + 1)")
        for command in found {
            let number = try number(of: command)
            let sample = CommandStoreSubject.command(number, count: number % 3 * 20_000)
            try expect(command.bytes == sample.bytes, toBe: true, "\(what): the bytes of \(number) are whole")
            if command.attempts != 0 { try expect(command.failure, toBe: "Rejected", "\(what): the failure") }
        }
        let numbers = try found.map { try number(of: $0) }
        try expect(numbers, toBe: numbers.sorted(), "\(what): the order")
        // All but those that the writer has removed.
        let expected = Set((0..<next).suffix(10))
        try expect(expected.isSubset(of: numbers), toBe: true, "\(what): found \(numbers), of \(expected.sorted())")
        return next
    }

    private func number(of command: StoredCommand) throws -> Int {
        let bytes = command.id.uuid
        let number = Int(bytes.14) << 8 | Int(bytes.15)
        try expect(command.id, toBe: CommandStoreSubject.id(number), "the identifier")
        return number
    }

    // MARK: Files

    @Test func `a damaged command is found, and the next start renames the file and reports lost commands`()
        async throws
    {
        let losses = Losses()
        let store = try await SQLiteCommandStore(path: path, onLoss: losses.add)
        for number in 1...3 { try await store.insert(CommandStoreSubject.command(number)) }
        try await OpenedStore.inDatabase(at: path) { try $0.execute(sql: "UPDATE command SET date = 'now'") }
        await #expect(throws: SQLiteStoreError.self) { try await store.all() }
        #expect(losses.all.isEmpty)
        let next = directory.path("next.sqlite")
        try OpenedStore.copyFiles(from: path, to: next)

        let again = try await SQLiteCommandStore(path: next, onLoss: losses.add)

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
        let store = try await SQLiteCommandStore(path: path)
        let command = CommandStoreSubject.command(1, name: "Secret.Command")
        try await store.insert(command)
        try await store.removeAll()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
            let bytes = try Data(contentsOf: directory.appending(name))
            #expect(bytes.range(of: Data("Secret.Command".utf8)) == nil)
        }
    }

    @Test func `two commands with one identifier are not stored`() async throws {
        let store = try await SQLiteCommandStore(path: path)
        try await store.insert(CommandStoreSubject.command(1))
        await #expect(throws: SQLiteStoreError.self) { try await store.insert(CommandStoreSubject.command(1)) }
        try await CommandStoreSubject(store).expect([CommandStoreSubject.command(1)])
    }

    @Test func `each interrupted statement leaves the command stored completely or not at all`() async throws {
        for statement in 1...12 {
            let interruption = Interruption()
            let path = directory.path("interrupted \(statement).sqlite")
            let store = try await SQLiteCommandStore(path: path, prepare: { interruption.prepare($0) })
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
