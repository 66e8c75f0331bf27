#if Cluster

    public import Duet
    public import DuetCluster
    import DuetContext
    import ServiceContextModule

    extension Place {
        /// A node that sends the messages, and another one that handles them.
        ///
        /// A message that is not listed is a finding. A command is handled once, so that a failure is reported without
        /// further attempts. Queries see the effects of the commands before them.
        ///
        /// - Parameters:
        ///   - options: Times, limits, and the errors that all messages declare.
        ///   - connect: Returns the engine, for each example; by default a new cluster in this process. A cluster on a
        ///     server must have no other workers for the messages.
        ///   - messages: Types of messages, or commands with their keys.
        public static func cluster(
            options: ClusterOptions = ClusterOptions(),
            on connect: @escaping @Sendable () async throws -> any ClusterEngine = { InProcessCluster() },
            @ListBuilder<ClusterMessage> _ messages: @escaping @Sendable () -> [ClusterMessage]
        ) -> Place {
            place(options, connect) { _, engine, dispatcher, options in
                (
                    engine.worker(dispatcher, options: options) { messages() },
                    engine.dispatcher(options) { messages() }
                )
            }
        }

        /// A node that sends the messages of the suite's list, and another one that handles them.
        ///
        /// A command is handled once, so that a failure is reported without further attempts. Queries see the effects
        /// of the commands before them.
        ///
        /// - Parameters:
        ///   - options: Times, limits, and the errors that all messages declare.
        ///   - connect: Returns the engine, for each example; by default a new cluster in this process. A cluster on a
        ///     server must have no other workers for the messages.
        public static func cluster(
            options: ClusterOptions = ClusterOptions(),
            on connect: @escaping @Sendable () async throws -> any ClusterEngine = { InProcessCluster() }
        ) -> Place {
            place(options, connect) { suite, engine, dispatcher, options in
                let messages = try suite.listed
                return (
                    try ClusterWorker(messages, dispatcher, on: engine, options: options),
                    try ClusterDispatcher(messages, on: engine, options: options)
                )
            }
        }

        private static func place(
            _ options: ClusterOptions,
            _ connect: @escaping @Sendable () async throws -> any ClusterEngine,
            _ makeNodes:
                @escaping @Sendable (
                    _ suite: MessageSuite, _ engine: any ClusterEngine, _ dispatcher: any Dispatcher,
                    _ options: ClusterOptions
                ) throws -> (ClusterWorker, ClusterDispatcher)
        ) -> Place {
            var once = options
            once.processing.attempts = 1
            return Place(.cluster) { [once] visit, dispatcher in
                let destination = ArrivalDispatcher(dispatcher)
                let (worker, sender) = try makeNodes(visit.suite, await connect(), destination, once)
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await TaskContext().run { try await worker.run() }
                    }
                    let findings = await withWriteToken(WriteToken()) {
                        await visit.findings(through: sender, to: destination, advice: advice)
                    }
                    group.cancelAll()
                    try await group.waitForAll()
                    return findings
                }
            }
        }

        private static func advice(_ step: ExampleStep, _ expected: Outcome, _ actual: any Error) -> String? {
            switch actual {
            case ClusterError.notListed:
                return "Or leave it out: .skipping(.cluster, because: …)"
            default:
                guard let error = expected.error, type(of: error) != type(of: actual) else { return nil }
                let type = type(of: error)
                let conform = error is any DeclaredError ? "" : "Conform \(type) to DeclaredError. "
                return "\(conform)Declare it: add \(type).self to the declaredErrors of \(step.type)."
            }
        }
    }

#endif
