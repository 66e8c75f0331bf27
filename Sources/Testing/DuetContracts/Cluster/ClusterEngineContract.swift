#if Cluster

    public import DuetCluster

    /// The requirements for every engine of a cluster, one per clause.
    ///
    /// The tests of an engine run all clauses. A failed requirement throws ``ContractViolation``. The clauses take real
    /// time, up to some seconds.
    public struct ClusterEngineContract: CaseIterable, Sendable, CustomStringConvertible {
        /// The requirement.
        public let description: String

        private let check: @Sendable (ClusterEngineSubject) -> () async throws -> Void

        private init(
            _ description: String,
            _ check: @escaping @Sendable (ClusterEngineSubject) -> () async throws -> Void
        ) {
            self.description = description
            self.check = check
        }

        /// All requirements, of queries, commands and events.
        public static let allCases = [
            Self("a query is answered by a node that serves its route") { $0.answers },
            Self("requests and responses arrive unchanged") { $0.carriesEnvelopes },
            Self("a route may be any text") { $0.servesAnyRoute },
            Self("two nodes that serve a route share its queries") { $0.sharesQueries },
            Self("concurrent queries receive their own responses") { $0.answersConcurrently },
            Self("a route that no node serves is reported at once") { $0.reportsNoNode },
            Self("a query without a response times out") { $0.timesOut },
            Self("canceling a query cancels its handler on the other node") { $0.cancelsHandlers },
            Self("no more queries than the limit are handled at the same time") { $0.limitsHandlers },
            Self("stopping a route finishes the queries that are being handled") { $0.finishesQueries },
            Self("the other node answers after one has stopped") { $0.answersAfterStop },
            Self("the other node answers after one was lost") { $0.answersAfterLoss },
            Self("requests and responses that are too large are refused") { $0.refusesLargeQueries },
            Self("a command arrives unchanged") { $0.deliversCommands },
            Self("a command waits for a node that handles commands") { $0.keepsCommands },
            Self("the commands of a partition are handled one at a time, in order") { $0.keepsTheOrder },
            Self("a slow command delays only its own partition") { $0.separatesPartitions },
            Self("all nodes know the number of the log") { $0.knowsTheLog },
            Self("a command is added once, and duplicates get its position") { $0.findsDuplicates },
            Self("the log says which command was not added again") { $0.reportsRepeats },
            Self("a command is retried after its delay, before later ones") { $0.retries },
            Self("a command becomes a dead letter when its attempts are used up") { $0.endsRetries },
            Self("a skipped attempt does not count") { $0.skipsAttempts },
            Self("a command that nodes skip comes to the others") { $0.passesSkippedOn },
            Self("a command whose handler ends it becomes a dead letter at once") { $0.buries },
            Self("dead letters are listed in order, up to a limit") { $0.listsDeadLetters },
            Self("a dead letter is retried, with its body or another one") { $0.retriesDeadLetters },
            Self("a repeat gets the position of the last retry") { $0.movesRepeats },
            Self("a dead letter has an outcome, also after it was dropped") { $0.keepsFailures },
            Self("a dead letter can be dropped") { $0.dropsDeadLetters },
            Self("the command of a lost node is delivered to another node") { $0.redelivers },
            Self("a command that ends each of its nodes becomes a dead letter") { $0.countsLostAttempts },
            Self("a slow command is not delivered twice") { $0.waitsForSlowHandlers },
            Self("stopping finishes the command that is being handled, and takes no other") {
                $0.finishesCommands
            },
            Self("the handled position follows the commands of its partition") { $0.knowsHandledPositions },
            Self("the log has a command at its position, also after it was handled") { $0.hasCommands },
            Self("the outcome of a command is kept for repeats") { $0.keepsOutcomes },
            Self("the statistics count the commands") { $0.countsCommands },
            Self("commands that are too large are refused") { $0.refusesLargeCommands },
            Self("all nodes receive all events in one order") { $0.ordersEvents },
            Self("a follower receives the events after its start") { $0.startsFollowers },
            Self("a follower receives events that it has not waited for") { $0.keepsEvents },
            Self("events that are too large are refused") { $0.refusesLargeEvents },
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
                try await WaitLimit.$current.withValue(limit) { try await check(subject)() }
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
