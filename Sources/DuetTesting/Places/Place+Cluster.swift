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
            var once = options
            once.processing.attempts = 1
            return Place(.cluster) { [once] visit, dispatcher in
                let destination = ArrivalDispatcher(dispatcher)
                let engine = try await connect()
                let worker = engine.worker(destination, options: once) { messages() }
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await TaskContext().run { try await worker.run() }
                    }
                    let findings = await withWriteToken(WriteToken()) {
                        await visit.findings(
                            through: engine.dispatcher(once) { messages() },
                            to: destination,
                            advice: advice
                        )
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
