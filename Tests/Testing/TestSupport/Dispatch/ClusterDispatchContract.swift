#if Cluster
    package import DuetContracts

    /// The requirements for dispatchers and workers on every engine of a cluster, one per case.
    package enum ClusterDispatchContract: CaseIterable, Sendable {
        /// A command before it has an effect that the query returns.
        case `a query is answered by a node`
        case `a query waits until a node serves it`
        /// The sender learns of an undeclared error only its type.
        case `declared errors arrive typed, and others without details`
        case `the principal and the deadline travel with a message`
        case `canceling the sender cancels the handler`
        case `a message that is too large is refused at the call`
        /// Three nodes handle them, and the first attempts fail.
        case `commands of one key are handled in order, also after failures`
        /// The identifier of a command is its idempotency key. The repeat returns after the first one was handled.
        case `a repeated command is handled once`
        /// An error that the handler received from a cluster is no exception.
        case `an error that is not declared is retried`
        /// It is not lost, and does not become a dead letter.
        case `a command whose worker shuts down in its last attempt is handled by another worker`
        case `a command that fails for good becomes a dead letter, and its key goes on`
        /// The failure of its handler, or that it became a dead letter.
        case `a repeat of a dead letter fails, also after it was dropped`
        /// A failure or a success, after the retry was handled.
        case `a repeat of a dead letter that was retried gets the outcome of the retry`
        /// The body, the version or the principal.
        case `a command that cannot be read becomes a dead letter at once`
        case `a command that no node lists becomes a dead letter, and its sender learns that`
        /// Without delays, so that a new version can start beside an old one.
        case `a command that one of three nodes lists is handled there`
        /// The later ones become dead letters at once, until a node lists them.
        case `the commands that no node lists wait once for all of a name`
        case `queries with a token see the effects of its commands`
        case `a node that cannot reach a position in time says so`
        /// Without waiting.
        case `a node says at once that the log does not have a position`
        /// Other values of the cache stay.
        case `a command of one node makes the values of all nodes stale`

        /// Checks this clause with some nodes of a new cluster, all of which are disconnected at the end.
        ///
        /// An expected event is awaited until the suite's time limit.
        ///
        /// - Parameter connect: Connects a node to the cluster with a name. The cluster is empty if the name is new.
        /// - Throws: ``ContractViolation``, or an error of the dispatcher where the contract allows none.
        package func verify(
            _ connect: @escaping @Sendable (_ cluster: String) async throws -> ClusterNode
        ) async throws {
            let engines = ClusterEngineSubject(connect)
            let subject = ClusterDispatchSubject(engines: engines)
            let result: Result<Void, any Error>
            do {
                try await WaitLimit.$current.withValue(.seconds(3_600)) { try await check(subject) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await engines.disconnect()
            try result.get()
        }

        private func check(_ subject: ClusterDispatchSubject) async throws {
            switch self {
            case .`a query is answered by a node`: try await subject.answers()
            case .`a query waits until a node serves it`: try await subject.waitsForNodes()
            case .`declared errors arrive typed, and others without details`: try await subject.carriesErrors()
            case .`the principal and the deadline travel with a message`: try await subject.carriesContext()
            case .`canceling the sender cancels the handler`: try await subject.cancelsHandlers()
            case .`a message that is too large is refused at the call`: try await subject.refusesLargeMessages()
            case .`commands of one key are handled in order, also after failures`: try await subject.keepsTheOrder()
            case .`a repeated command is handled once`: try await subject.ignoresRepeats()
            case .`an error that is not declared is retried`: try await subject.retries()
            case .`a command whose worker shuts down in its last attempt is handled by another worker`:
                try await subject.handsOverLastAttempts()
            case .`a command that fails for good becomes a dead letter, and its key goes on`:
                try await subject.buriesFailures()
            case .`a repeat of a dead letter fails, also after it was dropped`: try await subject.keepsFailures()
            case .`a repeat of a dead letter that was retried gets the outcome of the retry`:
                try await subject.followsRetries()
            case .`a command that cannot be read becomes a dead letter at once`: try await subject.buriesUnreadable()
            case .`a command that no node lists becomes a dead letter, and its sender learns that`:
                try await subject.buriesUnlisted()
            case .`a command that one of three nodes lists is handled there`: try await subject.findsListingNode()
            case .`the commands that no node lists wait once for all of a name`: try await subject.waitsOnce()
            case .`queries with a token see the effects of its commands`: try await subject.readsWrites()
            case .`a node that cannot reach a position in time says so`: try await subject.reportsLateNodes()
            case .`a node says at once that the log does not have a position`:
                try await subject.refusesLaterPositions()
            case .`a command of one node makes the values of all nodes stale`: try await subject.invalidates()
            }
        }
    }

#endif
