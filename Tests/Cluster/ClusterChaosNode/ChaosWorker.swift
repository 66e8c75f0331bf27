#if NATS
    import Duet
    import DuetCluster
    import DuetContext
    import DuetNATS
    import DuetTesting
    import Foundation

    /// A node that handles messages, sometimes wrongly.
    struct ChaosWorker {
        private let settings: ChaosSettings

        init(_ settings: ChaosSettings) { self.settings = settings }

        func run() async throws {
            let database = try ChaosDatabase(path: settings.database)
            let dispatcher = try StandardDispatcher {
                AppendNumberHandler(database: database, failures: settings.failures, seed: settings.seed)
                CountNumbersHandler(database: database)
            }
            var options = ClusterOptions(
                attempts: settings.attempts,
                redelivery: .milliseconds(settings.redelivery),
                handlingDelays: RetryPolicy(
                    backoff: .exponential(initial: .milliseconds(20), maximum: .seconds(1)),
                    jitter: false
                )
            )
            options.attemptTimeout = .seconds(10)
            let cluster = try await settings.connect()
            try ClusterChaosNode.reportStep()
            let serving = Task { [options] in
                try await ClusterWorker(ChaosMessages.all, dispatcher, on: cluster, options: options).run()
            }
            await Self.waitForEndOfInput()
            serving.cancel()
            try await serving.value
            await cluster.close()
        }

        /// Returns when the test, or its process, ends.
        private static func waitForEndOfInput() async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    _ = try? FileHandle.standardInput.readToEnd()
                    continuation.resume()
                }
            }
        }
    }

    /// The error of a handler that fails by chance, which its message does not declare.
    private struct ChanceFailure: Error {}

    private struct AppendNumberHandler: CommandHandler {
        let database: ChaosDatabase
        let failures: Int
        let seed: UInt64

        func handle(_ command: AppendNumber) async throws {
            let id = IdempotencyKey.current(for: AppendNumber.self)
            let (attempt, isFailing) = try await database.begin(command, id) { [failures, seed] attempt in
                var generator = Self.generator(seed, command, attempt)
                // Chance makes no dead letter.
                return attempt <= 2 && Int.random(in: 0..<100, using: &generator) < failures
            }
            if command.fault == .always {
                // The commands of other partitions that arrived with it go on meanwhile.
                try await ContinuousClock().sleep(for: .milliseconds(50))
                ClusterChaosNode.killItself()
            }
            let fault = attempt == 1 ? command.fault : .none
            if fault == .waiting { try await ContinuousClock().sleep(for: .seconds(3_600)) }
            if fault == .before { ClusterChaosNode.killItself() }

            // A failure comes before, in, or after the transaction.
            var generator = Self.generator(seed &+ 1, command, attempt)
            let place = isFailing ? Int.random(in: 0..<3, using: &generator) : nil
            if place == 0 { throw ChanceFailure() }
            try await database.append(command, id) {
                if fault == .inside { ClusterChaosNode.killItself() }
                if place == 1 { throw ChanceFailure() }
            }
            if fault == .after { ClusterChaosNode.killItself() }
            if place == 2 { throw ChanceFailure() }
        }

        /// The same in every run with a seed, in whatever order commands are handled.
        private static func generator(_ seed: UInt64, _ command: AppendNumber, _ attempt: Int) -> SeededGenerator {
            var generator = SeededGenerator(seed: seed)
            for part in [command.key, command.number, attempt] {
                generator = SeededGenerator(seed: generator.next() ^ UInt64(truncatingIfNeeded: part))
            }
            return generator
        }
    }

    private struct CountNumbersHandler: QueryHandler {
        let database: ChaosDatabase

        func handle(_ query: CountNumbers) async throws -> CountNumbers.Value {
            CountNumbers.Value(key: query.key, count: try await database.count(of: query.key))
        }
    }
#endif
