import Duet
import DuetCluster
import DuetContext
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import TestSupport
import Testing

private struct Deposit: Command, Codable {
    let account: String
    let amount: Int
}

private struct DepositHandler: CommandHandler {
    let database: DatabaseQueue
    let inbox = SQLiteCommandInbox()

    func handle(_ command: Deposit) async throws {
        let id = IdempotencyKey.current(for: Deposit.self)
        try await database.write { db in
            guard try inbox.claim(id, in: db) else { return }
            try db.execute(sql: "UPDATE account SET balance = balance + ?", arguments: [command.amount])
            if command.amount < 0 { throw Refused() }
        }
    }
}

private struct LoadBalance: PayloadQuery, Hashable {
    typealias Value = Int
    let account: String
}

private struct Refused: Error {}

@Suite(.timeLimit(.minutes(5))) struct CommandInboxTests {
    private static let messages = MessageAPI.open { Deposit.ordered(by: \.account) }

    private let database: DatabaseQueue
    private let dispatcher: StandardDispatcher

    init() throws {
        let database = try DatabaseQueue()
        try database.write { db in
            try SQLiteCommandInbox.createTable(in: db)
            try SQLiteCommandOutbox.createTable(in: db)
            try db.execute(sql: "CREATE TABLE account (balance INTEGER); INSERT INTO account VALUES (0)")
        }
        self.database = database
        dispatcher = try StandardDispatcher { DepositHandler(database: database) }
    }

    private var balance: Int {
        get async throws {
            try await database.read { try Int.fetchOne($0, sql: "SELECT balance FROM account") ?? 0 }
        }
    }

    private var outboxCount: Int {
        get async throws {
            try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM duet_outbox") ?? 0 }
        }
    }

    @Test func `a command that is handled again has no second effect`() async throws {
        for _ in 1...3 {
            try await withIdempotencyKey("1") { try await dispatcher.dispatch(Deposit(account: "a", amount: 5)) }
        }
        try await withIdempotencyKey("2") { try await dispatcher.dispatch(Deposit(account: "a", amount: 1)) }
        #expect(try await balance == 6)
    }

    @Test func `a command without a key is handled each time`() async throws {
        for _ in 1...2 { try await dispatcher.dispatch(Deposit(account: "a", amount: 5)) }
        #expect(try await balance == 10)
    }

    @Test func `a command that fails is not claimed`() async throws {
        for _ in 1...2 {
            await #expect(throws: Refused.self) {
                try await withIdempotencyKey("1") { try await dispatcher.dispatch(Deposit(account: "a", amount: -1)) }
            }
        }
        #expect(try await balance == 0)
        try await withIdempotencyKey("1") { try await dispatcher.dispatch(Deposit(account: "a", amount: 2)) }
        #expect(try await balance == 2)
    }

    @Test func `identifiers are forgotten after their lifetime`() async throws {
        let date = TestDate()
        let inbox = SQLiteCommandInbox(lifetime: 60, now: date.now)
        func claim(_ id: String) async throws -> Bool { try await database.write { try inbox.claim(id, in: $0) } }
        #expect(try await claim("1"))
        date.advance(by: 59)
        #expect(try await !claim("1"))
        date.advance(by: 2)
        #expect(try await claim("1"))
        #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM duet_inbox") } == 1)
    }

    @Test func `a command that is handled again has the answer of the first time`() async throws {
        let inbox = SQLiteCommandInbox()
        func answer(_ id: String?, _ account: String) async throws -> LoadBalance {
            try await database.write { db in
                try inbox.answer(id, in: db) {
                    if account.isEmpty { throw Refused() }
                    try db.execute(sql: "UPDATE account SET balance = balance + 1")
                    return LoadBalance(account: account)
                }
            }
        }
        await #expect(throws: Refused.self) { try await answer("1", "") }
        #expect(try await answer("1", "a") == LoadBalance(account: "a"))
        #expect(try await answer("1", "b") == LoadBalance(account: "a"))
        #expect(try await answer("2", "c") == LoadBalance(account: "c"))
        #expect(try await answer(nil, "d") == LoadBalance(account: "d"))
        #expect(try await balance == 3)
        #expect(try await database.write { try inbox.claim("3", in: $0) })
        await #expect(throws: DecodingError.self) { try await answer("3", "e") }
        #expect(try await balance == 3)
    }

    @Test func `commands of the outbox are sent once, in order, when their transaction is committed`() async throws {
        let cluster = InProcessCluster()
        let outbox = try SQLiteCommandOutbox(Self.messages, in: database)
        let deposits = try (1...5).map { try outbox.prepare(Deposit(account: "a", amount: $0)) }
        try await database.write { db in
            for deposit in deposits { try outbox.insert(deposit, in: db) }
        }
        let refused = try outbox.prepare(Deposit(account: "a", amount: 1_000))
        await #expect(throws: Refused.self) {
            try await database.write { db in
                try outbox.insert(refused, in: db)
                throw Refused()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run(sendingTo: cluster) }
            group.addTask {
                try await ClusterWorker(Self.messages, dispatcher, on: cluster).run()
            }
            while try await balance < 15 { await Task.yield() }
            let last = try outbox.prepare(Deposit(account: "a", amount: 10))
            try await database.write { try outbox.insert(last, in: $0) }
            while try await balance < 25 { await Task.yield() }
            // A command leaves the outbox after the log has it, and may be handled before.
            while try await outboxCount > 0 { await Task.yield() }
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
        #expect(try await balance == 25)
    }

    @Test func `a command of the outbox is handled for the principal that prepared it`() async throws {
        struct Recording: CommandHandler {
            let principals: Monitor<[String?]>

            func handle(_ command: Deposit) async throws {
                principals.update { $0.append(Principal.current?.id) }
            }
        }
        let principals = Monitor<[String?]>([])
        let cluster = InProcessCluster()
        let outbox = try SQLiteCommandOutbox(Self.messages, in: database)
        let deposit = try await withPrincipal(Principal(id: "ann")) {
            try outbox.prepare(Deposit(account: "a", amount: 1))
        }
        try await database.write { try outbox.insert(deposit, in: $0) }
        let recording = try StandardDispatcher { Recording(principals: principals) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run(sendingTo: cluster) }
            group.addTask { try await ClusterWorker(Self.messages, recording, on: cluster).run() }
            try await principals.wait { $0 == ["ann"] ? () : nil }
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
    }
}
