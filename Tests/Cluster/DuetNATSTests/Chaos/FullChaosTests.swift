#if NATS
    import ClusterChaosNode
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import FeedTesting
    import Foundation
    import Testing

    /// Three servers and three workers, which are killed while they work: `make chaos`.
    ///
    /// Elections need more processor time than is left beside the other tests.
    @Suite(.enabled(if: ChaosSize.isEnabled), .serialized, .timeLimit(.minutes(30))) struct FullChaosTests {
        private static let stream = "chaos_COMMANDS"

        private let folder: TemporaryDirectory
        private let path: String
        private let database: ChaosDatabase
        private let start = ContinuousClock.now

        init() throws {
            folder = try TemporaryDirectory()
            path = folder.path("state.sqlite")
            database = try ChaosDatabase(path: path)
            try database.create()
        }

        private func settings(_ servers: NATSServers) -> ChaosSettings {
            var settings = ChaosSettings(servers: servers.urls, database: path)
            settings.replicas = 3
            settings.partitions = 8
            settings.redelivery = 2_000
            settings.timeout = 20
            settings.pingInterval = 2
            settings.seed = ChaosSize.seed
            return settings
        }

        private func report(_ text: String) {
            let seconds = start.duration(to: .now).components.seconds
            print("\(String(repeating: " ", count: max(0, 4 - "\(seconds)".count)))\(seconds) s  \(text)")
        }

        // MARK: Commands

        @Test func `no command is lost, out of order, or repeated, whatever is killed`() async throws {
            try await NATSServers.run { servers in
                var settings = settings(servers)
                settings.failures = 2
                let commands = Self.commands(seed: settings.seed)
                report("\(commands.count) commands over \(min(400, commands.count)) keys, seed \(settings.seed)")
                let cluster = try await settings.connect()
                let publisher = ChaosPublisher(try ClusterDispatcher(ChaosMessages.all, on: cluster, options: .chaos))
                let (clients, limit) = (Counter(), Monitor(0))
                let workers = try await ChaosWorkers.run(3, settings) { [settings] workers in
                    try await with(task: { try await keepReporting(publisher, workers, cluster) }) {
                        try await with(task: { try await keepKillingWaiting(workers) }) {
                            try await with(task: { try await Self.keepConnecting(settings, clients) }) {
                                // The first that fails ends the other.
                                try await withThrowingDiscardingTaskGroup { group in
                                    group.addTask { try await publisher.publish(commands, lanes: 64, limit: limit) }
                                    group.addTask {
                                        try await killServers(servers, publisher, limit, of: commands.count)
                                    }
                                }
                                report("everything is published")
                                try await eventually("all commands are handled") { () -> Void? in
                                    try workers.check()
                                    guard try await database.count >= commands.count - 1 else { return nil }
                                    return (try? await cluster.isIdle) == true ? () : nil
                                }
                            }
                        }
                    }
                    return workers
                }
                report("everything is handled")
                let effects = try await ChaosEffects(of: commands, in: database)
                let letters = try await cluster.commands.deadLetters.list(limit: 100)
                let attempts = try await database.attempts()
                let progress = publisher.progress.read { $0 }
                let handled = Set(attempts.map(\.command)).count
                Self.printTable([
                    ("commands acknowledged", "\(progress.acknowledged)"),
                    ("lost", "\(effects.lost)"),
                    ("out of order", "\(effects.disordered)"),
                    ("effects that came twice", "\(effects.repeated)"),
                    ("dead letters", "\(letters.count)"),
                    ("handlers that failed by chance", "\(attempts.count(where: \.isFailing))"),
                    ("handlers that began again", "\(attempts.count - handled)"),
                    ("of them after the effect", "\(attempts.count(where: \.isRepeated))"),
                    ("workers killed", "\(workers.kills)"),
                    ("servers killed", "5"),
                    ("clients that came and went", "\(clients.count)"),
                    ("dispatches repeated by the publisher", "\(progress.repeated)"),
                    ("longest wait for an acknowledgment", "\(progress.longestWait.rounded) s"),
                    ("time", "\(start.duration(to: .now).rounded) s"),
                ])
                effects.expectEachOnceInOrder()
                #expect(progress.acknowledged == commands.count)
                #expect(letters.map(\.command.message) == [AppendNumber.messageName])
                let poison = letters.first.map { String(decoding: $0.command.envelope.body, as: UTF8.self) }
                #expect(poison?.contains("always") == true)
                try await servers.waitUntilWhole(Self.stream)
                await cluster.close()
            }
        }

        /// Commands in the order of their keys, some of which wait to be killed, and one of which always kills.
        private static func commands(seed: UInt64) -> [AppendNumber] {
            var generator = SeededGenerator(seed: seed)
            let count = max(1_000, ChaosSize.commands)
            let always = count * 45 / 100 + Int.random(in: 0..<count / 100, using: &generator)
            let waiting = [10, 35, 50, 60, 85].map {
                $0 * count / 100 + Int.random(in: 0..<count / 100, using: &generator)
            }
            return (0..<count).map { number in
                let fault: AppendNumber.Fault =
                    number == always ? .always : waiting.contains(number) ? .waiting : .none
                return AppendNumber(key: number % 400, number: number, fault: fault)
            }
        }

        /// Kills the leader while commands are published, then the next leader, then all servers.
        private func killServers(
            _ servers: NATSServers,
            _ publisher: ChaosPublisher,
            _ limit: Monitor<Int>,
            of count: Int
        ) async throws {
            func publish(_ percent: Int, allowed: Int) async throws {
                limit.update { $0 = allowed == 100 ? .max : count * allowed / 100 }
                try await publisher.progress.wait { $0.acknowledged >= count * percent / 100 ? () : nil }
            }
            for (kill, restart, name) in [(30, 40, "the leader"), (55, 65, "the next leader")] {
                try await publish(kill, allowed: kill + 5)
                let leader = try await servers.leader(of: Self.stream)
                report("kill \(name)")
                await leader.kill()
                try await publish(restart, allowed: restart + 5)
                report("start it again")
                try await leader.start()
                try await servers.waitUntilWhole(Self.stream)
                // The next fault comes while these commands are handled, some of which kill workers.
                try await eventually("commands are handled") {
                    try await database.count >= count * (kill + 5) / 100 ? () : nil
                }
            }
            // With a server of an old version, between two commands.
            try await publish(75, allowed: try NATSServer.keepsConsumersInStep ? 80 : 75)
            if try !NATSServer.keepsConsumersInStep { try await servers.waitUntilWhole(Self.stream) }
            report("kill all servers")
            await withTaskGroup { group in
                for server in servers.servers { group.addTask { await server.kill() } }
            }
            report("start them again")
            for server in servers.servers { try await server.start() }
            try await publish(100, allowed: 100)
        }

        /// Kills the worker of each command that waits for that.
        private func keepKillingWaiting(_ workers: ChaosWorkers) async throws {
            var done: Set<Int> = []
            while true {
                for attempt in try await database.attempts(withFault: true)
                where attempt.command.fault == .waiting && done.insert(attempt.command.number).inserted {
                    report("kill a worker in the middle of a handler")
                    workers.kill(attempt.process)
                }
                try await ContinuousClock().sleep(for: .milliseconds(500))
            }
        }

        /// Connects clients that vanish soon.
        private static func keepConnecting(_ settings: ChaosSettings, _ clients: Counter) async throws {
            while true {
                let client = try await settings.connect()
                let dispatcher = try ClusterDispatcher(ChaosMessages.all, on: client, options: .chaos)
                _ = try? await dispatcher.dispatch(CountNumbers(key: 1))
                await client.disconnect()
                clients.add()
                try await ContinuousClock().sleep(for: .seconds(1))
            }
        }

        private func keepReporting(
            _ publisher: ChaosPublisher,
            _ workers: ChaosWorkers,
            _ cluster: NATSCluster
        ) async throws {
            while true {
                try await ContinuousClock().sleep(for: .seconds(5))
                let acknowledged = publisher.progress.read { $0.acknowledged }
                report(
                    "\(acknowledged) published, \(try await database.count) handled, \(workers.kills) workers killed"
                )
            }
        }

        // MARK: Queries

        @Test func `all queries are answered, although a worker and a server are killed`() async throws {
            try await NATSServers.run { servers in
                var settings = settings(servers)
                let count = ChaosSize.queries
                report("\(count) queries")
                // It finds the other servers through its own, which is killed.
                settings.servers = [servers.urls[0]]
                let engine = CountingEngine(engine: try await settings.connect())
                settings.servers = servers.urls
                let dispatcher = try ClusterDispatcher(ChaosMessages.all, on: engine, options: .chaos)
                let answers = Monitor((answered: 0, wrong: 0, failed: 0, slowest: Duration.zero))
                let time = try await ChaosWorkers.run(3, settings) { workers in
                    for key in 0..<32 { try await dispatcher.dispatch(AppendNumber(key: key, number: key)) }
                    let start = ContinuousClock.now
                    try await withThrowingDiscardingTaskGroup { group in
                        for key in 0..<32 {
                            group.addTask {
                                for _ in 0..<count / 32 {
                                    let start = ContinuousClock.now
                                    let value = try? await dispatcher.dispatch(CountNumbers(key: key))
                                    let duration = start.duration(to: .now)
                                    answers.update { answers in
                                        answers.answered += 1
                                        if value == nil { answers.failed += 1 }
                                        if let value, value.key != key || value.count != 1 { answers.wrong += 1 }
                                        answers.slowest = max(answers.slowest, duration)
                                    }
                                }
                            }
                        }
                        try await answers.wait { $0.answered >= count / 4 ? () : nil }
                        report("kill a worker")
                        workers.killOne()
                        try await answers.wait { $0.answered >= count / 2 ? () : nil }
                        report("kill the server of the client")
                        await servers.servers[0].kill()
                        try await answers.wait { $0.answered >= count * 3 / 4 ? () : nil }
                        report("start it again")
                        try await servers.servers[0].start()
                    }
                    return start.duration(to: .now)
                }
                let result = answers.read { $0 }
                Self.printTable([
                    ("queries", "\(result.answered)"),
                    ("failed", "\(result.failed)"),
                    ("wrong", "\(result.wrong)"),
                    ("attempts that failed", "\(engine.failures.count)"),
                    ("slowest", "\(result.slowest.rounded) s"),
                    ("time", "\(time.rounded) s"),
                ])
                #expect(result.answered == count / 32 * 32)
                #expect(result.failed == 0)
                #expect(result.wrong == 0)
            }
        }

        private static func printTable(_ rows: [(String, String)]) {
            print("\n| | |\n|---|---|")
            for (name, value) in rows { print("| \(name) | \(value) |") }
            print("")
        }
    }

    extension Duration {
        /// The number of seconds with one digit.
        fileprivate var rounded: String {
            let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
            return "\(milliseconds / 1_000).\(milliseconds / 100 % 10)"
        }
    }
#endif
