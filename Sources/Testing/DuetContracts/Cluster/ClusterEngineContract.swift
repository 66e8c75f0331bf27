#if Cluster

    public import DuetCluster

    /// The requirements for every engine of a cluster, one per case.
    ///
    /// The tests of an engine run all cases. A failed requirement throws ``ContractViolation``. The cases take real
    /// time, up to some seconds.
    public enum ClusterEngineContract: CaseIterable, Sendable {
        // Queries

        /// The node itself is one of the nodes that may ask.
        case `a query is answered by a node that serves its route`
        /// Empty bodies and values, all bytes, and all characters but line breaks.
        case `requests and responses arrive unchanged`
        /// Wildcards and separators of the engine have no meaning in a route.
        case `a route may be any text`
        /// Each node handles at least a tenth of them.
        case `two nodes that serve a route share its queries`
        /// Hundreds of them are open at the same time.
        case `concurrent queries receive their own responses`
        /// The error is `noNode`, long before the timeout.
        case `a route that no node serves is reported at once`
        /// The error is `timedOut`, with the route and the timeout.
        case `a query without a response times out`
        /// The caller receives `CancellationError`.
        case `canceling a query cancels its handler on the other node`
        /// The others wait, and are handled.
        case `no more queries than the limit are handled at the same time`
        /// Later queries find no node.
        case `stopping a route finishes the queries that are being handled`
        /// No query fails.
        case `the other node answers after one has stopped`
        /// A query in flight fails with a temporary error, and not never.
        case `the other node answers after one was lost`
        /// The error is `tooLarge`. An envelope of exactly the limit that it names is carried.
        case `requests and responses that are too large are refused`

        // Commands

        /// The delivery has the position that `append` returned, in the partition of the key.
        case `a command arrives unchanged`
        /// No node handled commands when it was added.
        case `a command waits for a node that handles commands`
        /// Two nodes handle them; some need a second attempt.
        case `the commands of a partition are handled one at a time, in order`
        /// A command behind the slow one waits.
        case `a slow command delays only its own partition`
        /// It stays the same as long as the log exists.
        case `all nodes know the number of the log`
        /// On any node, at the same time, with another body, or after it was handled.
        case `a command is added once, and duplicates get its position`
        /// Also if it was handled already. Of several concurrent ones, one was added.
        case `the log says which command was not added again`
        /// The attempt is 2.
        case `a command is retried after its delay, before later ones`
        /// It has the last reason and the number of attempts. The commands behind it go on.
        case `a command becomes a dead letter when its attempts are used up`
        /// The number of skipped attempts is known to the next one.
        case `a skipped attempt does not count`
        /// The commands behind it go on.
        case `a command that its handler gives up becomes a dead letter at once`
        /// The oldest come first.
        case `dead letters are listed in order, up to a limit`
        /// The attempts start again. The identifier, the key, the message, and the headers are the same.
        case `a dead letter is retried, with its body or another one`
        /// Those before keep their outcomes.
        case `a repeat gets the position of the last retry`
        /// It is `Envelope.deadLetter` if the handler has kept no other one.
        case `a dead letter has an outcome, also after it was dropped`
        /// An unknown identifier is `UnknownDeadLetter`.
        case `a dead letter can be dropped`
        /// The time is that of `ProcessingOptions.redelivery`.
        case `the command of a lost node is delivered to another node`
        /// The node that is still there handles the commands behind it.
        case `a command that ends each of its nodes becomes a dead letter`
        /// It takes several times as long as `ProcessingOptions.redelivery`.
        case `a slow command is not delivered twice`
        /// Another node handles later commands.
        case `stopping finishes the command that is being handled, and takes no other`
        /// Dead letters count as handled.
        case `the handled position follows the commands of its partition`
        /// It belongs to the identifier and the position of the command.
        case `the outcome of a command is kept for repeats`
        /// Waiting, running, redelivered, and dead ones.
        case `the statistics count the commands`
        /// The error is `tooLarge`. An envelope of exactly the limit that it names is carried.
        case `commands that are too large are refused`

        // Events

        /// Also those that publish, at the same time.
        case `all nodes receive all events in one order`
        /// The first position is 1 or more.
        case `a follower receives the events after its start`
        /// The follower reads 1,000 events after they were published.
        case `a follower receives events that it has not waited for`
        /// The error is `tooLarge`. An envelope of exactly the limit that it names is carried.
        case `events that are too large are refused`

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

        private func check(_ subject: ClusterEngineSubject) async throws {
            switch self {
            case .`a query is answered by a node that serves its route`: try await subject.answers()
            case .`requests and responses arrive unchanged`: try await subject.carriesEnvelopes()
            case .`a route may be any text`: try await subject.servesAnyRoute()
            case .`two nodes that serve a route share its queries`: try await subject.sharesQueries()
            case .`concurrent queries receive their own responses`: try await subject.answersConcurrently()
            case .`a route that no node serves is reported at once`: try await subject.reportsNoNode()
            case .`a query without a response times out`: try await subject.timesOut()
            case .`canceling a query cancels its handler on the other node`: try await subject.cancelsHandlers()
            case .`no more queries than the limit are handled at the same time`: try await subject.limitsHandlers()
            case .`stopping a route finishes the queries that are being handled`: try await subject.finishesQueries()
            case .`the other node answers after one has stopped`: try await subject.answersAfterStop()
            case .`the other node answers after one was lost`: try await subject.answersAfterLoss()
            case .`requests and responses that are too large are refused`: try await subject.refusesLargeQueries()
            case .`a command arrives unchanged`: try await subject.deliversCommands()
            case .`a command waits for a node that handles commands`: try await subject.keepsCommands()
            case .`the commands of a partition are handled one at a time, in order`: try await subject.keepsTheOrder()
            case .`a slow command delays only its own partition`: try await subject.separatesPartitions()
            case .`all nodes know the number of the log`: try await subject.knowsTheLog()
            case .`a command is added once, and duplicates get its position`: try await subject.findsDuplicates()
            case .`the log says which command was not added again`: try await subject.reportsRepeats()
            case .`a command is retried after its delay, before later ones`: try await subject.retries()
            case .`a command becomes a dead letter when its attempts are used up`: try await subject.endsRetries()
            case .`a skipped attempt does not count`: try await subject.skipsAttempts()
            case .`a command that its handler gives up becomes a dead letter at once`: try await subject.buries()
            case .`dead letters are listed in order, up to a limit`: try await subject.listsDeadLetters()
            case .`a dead letter is retried, with its body or another one`: try await subject.retriesDeadLetters()
            case .`a repeat gets the position of the last retry`: try await subject.movesRepeats()
            case .`a dead letter has an outcome, also after it was dropped`: try await subject.keepsFailures()
            case .`a dead letter can be dropped`: try await subject.dropsDeadLetters()
            case .`the command of a lost node is delivered to another node`: try await subject.redelivers()
            case .`a command that ends each of its nodes becomes a dead letter`: try await subject.countsLostAttempts()
            case .`a slow command is not delivered twice`: try await subject.waitsForSlowHandlers()
            case .`stopping finishes the command that is being handled, and takes no other`:
                try await subject.finishesCommands()
            case .`the handled position follows the commands of its partition`:
                try await subject.knowsHandledPositions()
            case .`the outcome of a command is kept for repeats`: try await subject.keepsOutcomes()
            case .`the statistics count the commands`: try await subject.countsCommands()
            case .`commands that are too large are refused`: try await subject.refusesLargeCommands()
            case .`all nodes receive all events in one order`: try await subject.ordersEvents()
            case .`a follower receives the events after its start`: try await subject.startsFollowers()
            case .`a follower receives events that it has not waited for`: try await subject.keepsEvents()
            case .`events that are too large are refused`: try await subject.refusesLargeEvents()
            }
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
