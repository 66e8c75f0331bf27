#if NATS
    import ClusterChaosNode
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetContext
    import Testing

    /// Sends commands, the ones of a key one after another, until the log has acknowledged each.
    struct ChaosPublisher: Sendable {
        struct State: Sendable {
            var acknowledged = 0
            /// The number of dispatches that failed, and were repeated with the same key.
            var repeated = 0
            var longestWait = Duration.zero
        }

        let progress = Monitor(State())
        private let dispatcher: ClusterDispatcher

        init(_ dispatcher: ClusterDispatcher) { self.dispatcher = dispatcher.accepting }

        /// - Parameters:
        ///   - lanes: How many commands are in flight at the same time.
        ///   - limit: How many of the commands may be sent at this moment.
        func publish(_ commands: [AppendNumber], lanes: Int, limit: Monitor<Int> = Monitor(.max)) async throws {
            try await withThrowingDiscardingTaskGroup { group in
                for lane in 0..<lanes {
                    group.addTask {
                        for (number, command) in commands.enumerated() where command.key % lanes == lane {
                            try await limit.wait { $0 > number ? () : nil }
                            try await publish(command)
                        }
                    }
                }
            }
        }

        private func publish(_ command: AppendNumber) async throws {
            let start = ContinuousClock.now
            while true {
                do {
                    try await withIdempotencyKey("\(command.key) \(command.number)") {
                        try await dispatcher.dispatch(command)
                    }
                    break
                } catch let error as TransportError where error.isTemporary {
                    progress.update { $0.repeated += 1 }
                }
            }
            progress.update { state in
                state.acknowledged += 1
                state.longestWait = max(state.longestWait, start.duration(to: .now))
            }
        }
    }

    /// The effects of commands in a database, compared with those that they should have.
    struct ChaosEffects {
        private(set) var lost = 0
        private(set) var repeated = 0
        private(set) var disordered = 0

        /// - Parameter commands: Those that were sent, in the order of each key.
        init(of commands: [AppendNumber], in database: ChaosDatabase) async throws {
            let effects = try await database.numbers
            let sent = Dictionary(grouping: commands.filter { $0.fault != .always }, by: \.key)
            for (key, commands) in sent {
                let numbers = commands.map(\.number)
                var seen = Set<Int>()
                let firsts = (effects[key] ?? []).filter { seen.insert($0).inserted }
                lost += Set(numbers).subtracting(seen).count
                repeated += (effects[key] ?? []).count - firsts.count
                disordered += zip(firsts, numbers.filter(seen.contains)).count { $0 != $1 }
            }
            // Nothing else has an effect: not a poison command either.
            repeated += effects.filter { sent[$0.key] == nil }.reduce(0) { $0 + $1.value.count }
        }

        func expectEachOnceInOrder() {
            #expect(lost == 0, "commands without an effect")
            #expect(repeated == 0, "effects that came twice")
            #expect(disordered == 0, "effects that are not in the order of their key")
        }
    }
#endif
