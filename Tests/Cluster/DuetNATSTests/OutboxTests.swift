#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetContext
    import DuetNATS
    import DuetSQLite
    import FeedTesting
    import GRDB
    import TestSupport
    import Testing

    private struct Note: Command, Codable {
        let number: Int
    }

    private struct NoteHandler: CommandHandler {
        let database: DatabasePool
        let inbox = SQLiteCommandInbox()

        func handle(_ command: Note) async throws {
            let id = IdempotencyKey.current(for: Note.self)
            try await database.write { db in
                guard try inbox.claim(id, in: db) else { return }
                try db.execute(sql: "INSERT INTO effect VALUES (?)", arguments: [command.number])
            }
        }
    }

    /// An outbox whose server ends and starts again.
    @Suite(.timeLimit(.minutes(5))) struct OutboxTests {
        private static let messages = MessageAPI.open { Note.ordered { $0.number % 7 } }

        private let folder: TemporaryDirectory
        private let database: DatabasePool
        private let outbox: SQLiteCommandOutbox

        init() throws {
            folder = try TemporaryDirectory()
            database = try DatabasePool(path: folder.path("data.sqlite"))
            outbox = try SQLiteCommandOutbox(Self.messages, in: database)
            try database.write { db in
                try SQLiteCommandOutbox.createTable(in: db)
                try SQLiteCommandInbox.createTable(in: db)
                try db.execute(sql: "CREATE TABLE effect (number INTEGER NOT NULL)")
            }
        }

        /// Writes commands, each in its own transaction.
        private func write(_ numbers: ClosedRange<Int>) async throws {
            for number in numbers {
                let command = try outbox.prepare(Note(number: number))
                try await database.write { [outbox] db in try outbox.insert(command, in: db) }
            }
        }

        private func effects() async throws -> [Int] {
            try await database.read { try Int.fetchAll($0, sql: "SELECT number FROM effect ORDER BY rowid") }
        }

        private func waiting() async throws -> Int {
            try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM duet_outbox") ?? -1 }
        }

        @Test func `a command whose key the server does not take is set aside, and others are sent`() async throws {
            struct Keyed: Command, Codable {
                let key: String
            }
            let messages = MessageAPI.open { Keyed.ordered(by: \.key) }
            let outbox = try SQLiteCommandOutbox(messages, in: database)
            try await NATSServer.run { server in
                let node = try await server.node()
                let remote = try ClusterDispatcher(messages, on: node, options: .patient)
                let long = Keyed(key: String(repeating: "k", count: 70_000))
                let error = await #expect(throws: TransportError.self) { try await remote.accepting.dispatch(long) }
                guard case .tooLarge? = error else { throw CancellationError() }
                for command in [long, Keyed(key: "k")] {
                    let prepared = try outbox.prepare(command)
                    try await database.write { db in try outbox.insert(prepared, in: db) }
                }
                let sending = Task { try await outbox.run(sendingTo: node) }
                try await eventually("the other command is sent") {
                    try await node.commands.statistics().waiting == 1 ? () : nil
                }
                sending.cancel()
                try? await sending.value
                let reasons = try await database.read { try outbox.setAside(in: $0).map(\.reason) }
                #expect(reasons.count == 1)
                #expect(reasons.first?.contains("more than the cluster carries") == true)
                await node.close()
            }
        }

        @Test func `each command has one effect, also if the server ends while commands wait or are sent`()
            async throws
        {
            try await NATSServer.run { server in
                var settings = NATSOptions.test
                settings.timeout = .seconds(1)
                let (sender, node) = (try await server.node("test", settings), try await server.node())
                let refusals = Monitor(0)
                let dispatcher = try StandardDispatcher { NoteHandler(database: database) }
                let options = ClusterOptions(redelivery: .seconds(1))
                let worker = try ClusterWorker(Self.messages, dispatcher, on: node, options: options)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await worker.run() }
                    group.addTask { [outbox] in
                        try? await outbox.run(sendingTo: sender) { _ in refusals.update { $0 += 1 } }
                    }
                    // It ends while commands are sent, and further ones are written meanwhile.
                    try await write(1...100)
                    try await eventually("commands are handled") { try await effects().count > 20 ? () : nil }
                    await server.kill()
                    try await write(101...200)
                    #expect(try await waiting() >= 100)
                    try await eventually("an attempt to send fails") { refusals.read { $0 > 0 } ? () : nil }
                    try await server.start()
                    // It ends again while those that waited are sent.
                    try await eventually("commands that waited are sent") { try await waiting() < 100 ? () : nil }
                    await server.kill()
                    try await server.start()
                    try await eventually("all commands are handled") {
                        try await effects().count >= 200 ? () : nil
                    }
                    try await eventually("all commands are sent") { try await waiting() == 0 ? () : nil }
                    try await eventually("the log is empty") {
                        let statistics = try await sender.commands.statistics()
                        return statistics == LogStatistics() ? () : nil
                    }
                    group.cancelAll()
                    try await group.waitForAll()
                }
                let all = try await effects()
                #expect(all.sorted() == Array(1...200))
                for key in 0..<7 {
                    let numbers = all.filter { $0 % 7 == key }
                    #expect(numbers == numbers.sorted())
                }
                await sender.close()
                await node.close()
            }
        }
    }
#endif
