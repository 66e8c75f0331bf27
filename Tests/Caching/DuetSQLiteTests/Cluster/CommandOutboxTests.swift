import Duet
import DuetCluster
import DuetClusterEngine
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import TestSupport
import Testing

private struct Note: Command, Codable {
    let number: Int
    var text = ""
}

/// An outbox beside other programs, and before a cluster that does not take everything.
@Suite(.timeLimit(.minutes(5))) struct CommandOutboxTests {
    private let folder: TemporaryDirectory
    private let clock = ManualClock()
    private let cluster = InProcessCluster(maximumSize: 10_000)
    private let errors = Monitor<[String]>([])
    private let database: DatabasePool
    private let outbox: SQLiteCommandOutbox

    init() throws {
        folder = try TemporaryDirectory()
        database = try Self.connection(folder)
        try database.write { try SQLiteCommandOutbox.createTable(in: $0) }
        outbox = try SQLiteCommandOutbox(.open { Note.self }, in: database)
    }

    private static func connection(_ folder: TemporaryDirectory) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(3_600)
        return try DatabasePool(path: folder.path("data.sqlite"), configuration: configuration)
    }

    /// Writes commands, with another connection if there is one.
    private func write(_ notes: [Note], with other: DatabasePool? = nil) async throws {
        let commands = try notes.map { try outbox.prepare($0) }
        try await (other ?? database).write { [outbox] db in
            for command in commands { try outbox.insert(command, in: db) }
        }
    }

    /// Sends commands to a cluster while `body` runs.
    private func sending(to engine: any ClusterEngine, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [outbox, clock, errors] in
                try await outbox.run(sendingTo: engine, clock: clock) { error in errors.update { $0.append("\(error)") }
                }
            }
            try await body()
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
    }

    private func waitUntilWaiting(_ count: Int) async throws {
        while try await cluster.commands.statistics().waiting < count { await Task.yield() }
    }

    @Test func `a command that can never be sent is set aside, and the others are sent`() async throws {
        try await write([Note(number: 1, text: String(repeating: "x", count: 20_000)), Note(number: 2)])
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO duet_outbox (id, key, message, headers, body) VALUES ('x', 'x', 'x', '[', '')
                    """
            )
        }
        try await write([Note(number: 3)])
        for run in 1...2 {
            try await sending(to: cluster) { try await waitUntilWaiting(2) }
            #expect(errors.read(\.count) == 2, "run \(run)")
        }
        let rows = try await database.read { [outbox] in try outbox.setAside(in: $0) }
        #expect(rows.map(\.message) == [Note.messageName, "x"])
        #expect(rows.first?.reason.contains("10000") == true)
        try await database.write { [outbox] db in
            for row in rows { try row.message == "x" ? outbox.drop(row.id, in: db) : outbox.retry(row.id, in: db) }
        }
        try await sending(to: InProcessCluster()) {
            while try await database.read({ try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM duet_outbox") ?? 0 }) > 0 {
                await Task.yield()
            }
        }
    }

    @Test func `a row whose texts are bytes is set aside, and can be dropped`() async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO duet_outbox (id, key, message, headers, body) VALUES (X'FF', X'FF', X'79', '{}', '')
                    """
            )
        }
        try await write([Note(number: 1)])
        try await sending(to: cluster) { try await waitUntilWaiting(1) }
        let rows = try await database.read { [outbox] in try outbox.setAside(in: $0) }
        #expect(rows.map(\.id) == ["FF"])
        #expect(rows.map(\.message) == ["y"])
        let left = try await database.write { [outbox] db in
            try outbox.drop("FF", in: db)
            return try outbox.setAside(in: db)
        }
        #expect(left == [])
    }

    @Test func `commands wait while the cluster refuses them`() async throws {
        let isFull = Monitor(true)
        try await write([Note(number: 1), Note(number: 2)])
        try await sending(to: FullCluster(base: cluster, isFull: isFull)) {
            while errors.read(\.isEmpty) { await Task.yield() }
            for _ in 1...10 {
                await clock.nextSleeper()
                clock.advance(by: .seconds(5))
            }
            #expect(try await cluster.commands.statistics().waiting == 0)
            isFull.update { $0 = false }
            while try await cluster.commands.statistics().waiting < 2 {
                clock.advance(by: .seconds(5))
                await Task.yield()
            }
        }
        #expect(errors.read { $0 } == ["\(FullCluster.error)"])
    }

    @Test func `commands that another connection has written are sent`() async throws {
        let other = try Self.connection(folder)
        try await write([Note(number: 1)])
        try await sending(to: cluster) {
            try await waitUntilWaiting(1)
            try await write([Note(number: 2)], with: other)
            while try await cluster.commands.statistics().waiting < 2 {
                clock.advance(by: .seconds(2))
                await Task.yield()
            }
        }
    }

    @Test func `an outbox without its table fails`() async throws {
        let empty = try DatabaseQueue()
        let outbox = try SQLiteCommandOutbox(.open { Note.self }, in: empty)
        await #expect(throws: DatabaseError.self) { try await outbox.run(sendingTo: cluster) }
    }

    @Test func `a command that is not listed, or not for a cluster, is refused before it is written`() throws {
        struct Other: Command, Codable {}
        let lists = [MessageAPI.open { Note.self }, .open { Other.not(over: .cluster) }]
        for list in lists {
            let outbox = try SQLiteCommandOutbox(list, in: database)
            let error = #expect(throws: MessageAPIError.self) { try outbox.prepare(Other()) }
            #expect(error?.message == Other.messageName)
        }
    }
}

/// A cluster whose log may be full.
private struct FullCluster: ClusterEngine {
    static let error = TransportError.refused(reason: "the log is full")

    let base: InProcessCluster
    let isFull: Monitor<Bool>

    var queries: any QueryTransport { base.queries }
    var commands: any CommandLog { FullLog(base: base.commands, isFull: isFull) }
    var backplane: any Backplane { base.backplane }
}

private struct FullLog: CommandLog {
    let base: any CommandLog
    let isFull: Monitor<Bool>

    var partitionCount: Int { base.partitionCount }
    var deadLetters: any DeadLetters { base.deadLetters }

    func epoch() async throws -> UInt64 { try await base.epoch() }

    func append(_ command: LoggedCommand) async throws -> Appended {
        if isFull.read({ $0 }) { throw FullCluster.error }
        return try await base.append(command)
    }

    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration { try await base.process(options, abandoned: abandoned, handler) }

    func handledPosition(in partition: Int) async throws -> LogPosition {
        try await base.handledPosition(in: partition)
    }
    func lastPosition(in partition: Int) async throws -> LogPosition { try await base.lastPosition(in: partition) }

    func contains(_ id: String, at position: LogPosition) async throws -> Bool {
        try await base.contains(id, at: position)
    }

    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
        try await base.keepOutcome(outcome, of: id, at: position)
    }

    func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
        try await base.outcome(of: id, at: position)
    }

    func statistics() async throws -> LogStatistics { try await base.statistics() }
}
