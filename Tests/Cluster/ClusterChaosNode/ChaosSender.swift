#if NATS
    import Duet
    import DuetCluster
    import DuetNATS
    import DuetSQLite
    import Foundation

    /// A node that writes state and commands in one transaction, and sends the commands meanwhile.
    struct ChaosSender {
        private struct RolledBack: Error {}

        private let settings: ChaosSettings

        init(_ settings: ChaosSettings) { self.settings = settings }

        /// Writes numbers to four keys, and rolls back each fifth one.
        func run() async throws {
            let database = try ChaosDatabase(path: settings.database, lastStatement: settings.lastStatement)
            let outbox = try SQLiteCommandOutbox(ChaosMessages.all, in: database.pool)
            let cluster = try await settings.connect()
            let sending = Task {
                do {
                    try await outbox.run(sendingTo: cluster)
                } catch is CancellationError {
                    // Everything is sent.
                } catch {
                    ClusterChaosNode.fail(error)
                }
            }
            let end = settings.count.map { settings.first + $0 } ?? .max
            for number in settings.first..<end {
                do {
                    try await database.write(AppendNumber(key: number % 4, number: number), to: outbox) {
                        if number.isMultiple(of: 5) { throw RolledBack() }
                    }
                } catch is RolledBack {
                    // The state and the command are gone.
                }
                try ClusterChaosNode.reportStep()
                // A test does not have to receive thousands of commands.
                while try await database.unsentCount > 20 { try await ContinuousClock().sleep(for: .milliseconds(5)) }
            }
            while try await database.unsentCount > 0 { try await ContinuousClock().sleep(for: .milliseconds(20)) }
            sending.cancel()
            await sending.value
            await cluster.close()
        }
    }
#endif
