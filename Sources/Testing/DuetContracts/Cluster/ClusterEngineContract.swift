#if Cluster

    public import DuetCluster

    /// The requirements for every engine of a cluster, one per clause.
    ///
    /// The tests of an engine run all clauses. A failed requirement throws ``ContractViolation``. The clauses take real
    /// time, up to some seconds.
    public struct ClusterEngineContract: CaseIterable, Sendable, CustomStringConvertible {
        /// The requirement.
        public let description: String

        private let check: @Sendable (ClusterEngineSubject) async throws -> Void

        private init(_ description: String, _ check: @escaping @Sendable (ClusterEngineSubject) async throws -> Void) {
            self.description = description
            self.check = check
        }

        /// All requirements, of queries, commands and events.
        public static let allCases = [
            Self("a query is answered by a node that serves its route") { try await $0.answers() },
            Self("requests and responses arrive unchanged") { try await $0.carriesEnvelopes() },
            Self("a route may be any text") { try await $0.servesAnyRoute() },
            Self("two nodes that serve a route share its queries") { try await $0.sharesQueries() },
            Self("concurrent queries receive their own responses") { try await $0.answersConcurrently() },
            Self("a route that no node serves is reported at once") { try await $0.reportsNoNode() },
            Self("a query without a response times out") { try await $0.timesOut() },
            Self("canceling a query cancels its handler on the other node") { try await $0.cancelsHandlers() },
            Self("no more queries than the limit are handled at the same time") { try await $0.limitsHandlers() },
            Self("stopping a route finishes the queries that are being handled") { try await $0.finishesQueries() },
            Self("the other node answers after one has stopped") { try await $0.answersAfterStop() },
            Self("the other node answers after one was lost") { try await $0.answersAfterLoss() },
            Self("requests and responses that are too large are refused") { try await $0.refusesLargeQueries() },
            Self("a command arrives unchanged") { try await $0.deliversCommands() },
            Self("a command waits for a node that handles commands") { try await $0.keepsCommands() },
            Self("the commands of a partition are handled one at a time, in order") { try await $0.keepsTheOrder() },
            Self("a slow command delays only its own partition") { try await $0.separatesPartitions() },
            Self("all nodes know the number of the log") { try await $0.knowsTheLog() },
            Self("a command is added once, and duplicates get its position") { try await $0.findsDuplicates() },
            Self("the log says which command was not added again") { try await $0.reportsRepeats() },
            Self("a command is retried after its delay, before later ones") { try await $0.retries() },
            Self("a command becomes a dead letter when its attempts are used up") { try await $0.endsRetries() },
            Self("a skipped attempt does not count") { try await $0.skipsAttempts() },
            Self("a command that nodes skip comes to the others") { try await $0.passesSkippedOn() },
            Self("a command whose handler ends it becomes a dead letter at once") { try await $0.buries() },
            Self("dead letters are listed in order, up to a limit") { try await $0.listsDeadLetters() },
            Self("a dead letter is retried, with its body or another one") { try await $0.retriesDeadLetters() },
            Self("a repeat gets the position of the last retry") { try await $0.movesRepeats() },
            Self("a dead letter has an outcome, also after it was dropped") { try await $0.keepsFailures() },
            Self("a dead letter can be dropped") { try await $0.dropsDeadLetters() },
            Self("the command of a lost node is delivered to another node") { try await $0.redelivers() },
            Self("a command that ends each of its nodes becomes a dead letter") { try await $0.countsLostAttempts() },
            Self("a slow command is not delivered twice") { try await $0.waitsForSlowHandlers() },
            Self("stopping finishes the command that is being handled, and takes no other") {
                try await $0.finishesCommands()
            },
            Self("the handled position follows the commands of its partition") { try await $0.knowsHandledPositions() },
            Self("the log has a command at its position, also after it was handled") { try await $0.hasCommands() },
            Self("the outcome of a command is kept for repeats") { try await $0.keepsOutcomes() },
            Self("the statistics count the commands") { try await $0.countsCommands() },
            Self("commands that are too large are refused") { try await $0.refusesLargeCommands() },
            Self("all nodes receive all events in one order") { try await $0.ordersEvents() },
            Self("a follower receives the events after its start") { try await $0.startsFollowers() },
            Self("a follower receives events that it has not waited for") { try await $0.keepsEvents() },
            Self("events that are too large are refused") { try await $0.refusesLargeEvents() },
        ]

        /// Checks this clause with up to three nodes of a new cluster, all of which are disconnected at the end.
        ///
        /// - Parameters:
        ///   - limit: The time after which something that should happen at once has failed.
        ///   - connect: Connects a node to the cluster with a name. The cluster is empty if the name is new. Names
        ///     consist of lowercase letters and digits, and no two calls of `verify` use the same one.
        /// - Throws: ``ContractViolation``, or an error of the engine where the contract allows none.
        public func verify(
            limit: Duration = .seconds(20),
            _ connect: @escaping @Sendable (_ cluster: String) async throws -> ClusterNode
        ) async throws {
            let subject = ClusterEngineSubject(connect)
            let result: Result<Void, any Error>
            do {
                try await WaitLimit.$current.withValue(limit) { try await check(subject) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await subject.disconnect()
            try result.get()
        }
    }

    /// A node that ``ClusterEngineContract`` uses.
    public struct ClusterNode: Sendable {
        package let engine: any ClusterEngine
        let disconnect: @Sendable () async -> Void

        /// Creates a node.
        ///
        /// - Parameters:
        ///   - engine: The connection of the node.
        ///   - disconnect: Ends the connection abruptly, without finishing anything, as a crash of the process would.
        ///     It may be called twice.
        public init(_ engine: any ClusterEngine, disconnect: @escaping @Sendable () async -> Void) {
            self.engine = engine
            self.disconnect = disconnect
        }
    }

#endif
