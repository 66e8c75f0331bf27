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

    /// Short forms of what `make chaos` does with three servers, without assumptions about times.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct ChaosTests {
        private let folder: TemporaryDirectory
        private let path: String
        private let database: ChaosDatabase

        init() throws {
            folder = try TemporaryDirectory()
            path = folder.path("state.sqlite")
            database = try ChaosDatabase(path: path)
            try database.create()
        }

        private func settings(_ server: NATSServer) -> ChaosSettings {
            ChaosSettings(servers: [server.url], database: path)
        }

        /// Waits until there are a number of effects, and no command waits or is being handled.
        private func waitUntilHandled(_ count: Int, _ workers: ChaosWorkers, _ cluster: NATSCluster) async throws {
            try await eventually("all commands are handled") { () -> Void? in
                try workers.check()
                guard try await database.count >= count else { return nil }
                return try await cluster.isIdle ? () : nil
            }
        }

        @Test func `each command has one effect, in order, although workers are killed and handlers fail`() async throws
        {
            try await NATSServer.run { server in
                var settings = settings(server)
                settings.failures = 5
                settings.seed = 7
                var commands = (0..<300).map { AppendNumber(key: $0 % 20, number: $0) }
                commands[60] = AppendNumber(key: 0, number: 60, fault: .waiting)
                commands[187] = AppendNumber(key: 7, number: 187, fault: .always)
                let cluster = try await settings.connect()
                let publisher = ChaosPublisher(try ClusterDispatcher(ChaosMessages.all, on: cluster, options: .chaos))
                let kills = try await ChaosWorkers.run(2, settings) { workers in
                    try await publisher.publish(Array(commands[..<150]), lanes: 10)
                    let process = try await eventually("the waiting command is handled") {
                        try workers.check()
                        return try await database.attempts(withFault: true).first?.process
                    }
                    workers.kill(process)
                    try await publisher.publish(Array(commands[150...]), lanes: 10)
                    try await waitUntilHandled(commands.count - 1, workers, cluster)
                    return workers.kills
                }
                try await ChaosEffects(of: commands, in: database).expectEachOnceInOrder()
                let letters = try await cluster.commands.deadLetters.list(limit: 10)
                #expect(letters.map(\.command.key) == ["7"])
                #expect(letters.first?.attempts == settings.attempts)
                #expect(
                    letters.first.map { String(decoding: $0.command.envelope.body, as: UTF8.self) }?
                        .contains("187") == true
                )
                let attempts = try await database.attempts()
                #expect(kills == 1 + attempts.count { $0.command.fault == .always })
                #expect(attempts.contains { $0.isFailing })
                await cluster.close()
            }
        }

        @Test func `a command has one effect when its process ends before, in, or after the transaction`() async throws
        {
            try await NATSServer.run { server in
                var settings = settings(server)
                settings.redelivery = 300
                // One at a time, so that no command ends with the process of another one.
                settings.partitions = 1
                let faults: [AppendNumber.Fault] = [.before, .inside, .after]
                let commands = (0..<max(3, faultRounds / 3)).map { number in
                    AppendNumber(key: number % 5, number: number, fault: faults[number % 3])
                }
                let cluster = try await settings.connect()
                let remote = try ClusterDispatcher(ChaosMessages.all, on: cluster, options: .chaos)
                try await ChaosPublisher(remote).publish(commands, lanes: 5)
                try await ChaosWorkers.run(2, settings) { workers in
                    try await waitUntilHandled(commands.count, workers, cluster)
                }
                try await ChaosEffects(of: commands, in: database).expectEachOnceInOrder()
                let attempts = Dictionary(grouping: try await database.attempts(), by: \.command)
                for command in commands {
                    let second = try #require(attempts[command]?.dropFirst().first, "\(command)")
                    // Only a transaction that was committed has an effect that the second attempt can find. It may
                    // have begun before that: on a busy machine, the log delivers a command of a process that lives.
                    if command.fault != .after { #expect(!second.isRepeated, "\(command)") }
                }
                #expect(try await cluster.commands.deadLetters.list(limit: 1).isEmpty)
                await cluster.close()
            }
        }

        @Test func `a command is sent exactly if its transaction was committed, also by killed processes`() async throws
        {
            try await NATSServer.run { server in
                var settings = settings(server)
                var generator = SeededGenerator(seed: 11)
                for round in 1...max(3, faultRounds / 3) {
                    settings.lastStatement = Int.random(in: 1...200, using: &generator)
                    let sender = try ReportingProcess("ClusterChaosNode", ["send", try settings.json])
                    // It kills itself at a statement, or is killed at any moment.
                    let steps = round.isMultiple(of: 2) ? Int.random(in: 1...20, using: &generator) : .max
                    _ = try sender.wait(forSteps: steps)
                    sender.kill()
                    // Also the one that was committed and not reported.
                    settings.first += sender.steps.count + 1
                }
                settings.lastStatement = nil
                settings.count = 6
                let sender = try ReportingProcess("ClusterChaosNode", ["send", try settings.json])
                #expect(try sender.wait(forSteps: 6))
                try sender.finish()

                let committed = try await database.numbers
                #expect(committed.values.joined().count > faultRounds / 3)
                #expect(!committed.values.joined().contains { $0.isMultiple(of: 5) })
                let cluster = try await settings.connect()
                let sent = Monitor<[Int: [Int]]>([:])
                let processing = try await cluster.commands.process(ProcessingOptions()) { delivery in
                    let body = delivery.command.envelope.body
                    guard let command = try? JSONDecoder().decode(AppendNumber.self, from: body) else {
                        return .dead(reason: "unknown")
                    }
                    sent.update { $0[command.key, default: []].append(command.number) }
                    return .done
                }
                try await eventually("all commands arrive") { try await cluster.isIdle ? () : nil }
                await processing.stop()
                #expect(sent.read { $0 } == committed)
                #expect(try await database.unsentCount == 0)
                await cluster.close()
            }
        }
    }

    extension ClusterOptions {
        /// Options of senders that wait until servers run again.
        static var chaos: ClusterOptions { ClusterOptions(timeout: .seconds(3_600), attemptTimeout: .seconds(2)) }
    }

    extension NATSCluster {
        /// Whether no command waits or is being handled.
        var isIdle: Bool {
            get async throws {
                let statistics = try await commands.statistics()
                return statistics.waiting == 0 && statistics.running == 0
            }
        }
    }
#endif
