#if Cluster

    import Duet
    public import DuetCluster
    import DuetContext

    extension Place {
        /// A node that sends the messages of the suite's list, and another one that handles them.
        ///
        /// A command is handled once, so that a failure is reported without further attempts. Queries see the effects
        /// of the commands before them. The options' timeout is not used: what hangs ends with the test.
        ///
        /// - Parameters:
        ///   - options: Times, limits, and the errors that all messages declare.
        ///   - connect: Returns the engine, for each example; by default a new cluster in this process. A cluster on a
        ///     server must have no other workers for the messages.
        public static func cluster(
            options: ClusterOptions = ClusterOptions(),
            on connect: @escaping @Sendable () async throws -> any ClusterEngine = { InProcessCluster() }
        ) -> Place {
            var once = options
            once.attempts = 1
            // No message is lost here, so a limit would only find a slow machine. The test has its own.
            once.timeout = .seconds(86_400)
            return Place(name: .cluster) { [once] visit, dispatcher in
                let destination = ArrivalDispatcher(dispatcher)
                let (messages, engine) = (visit.suite.api, try await connect())
                let worker = try ClusterWorker(messages, destination, on: engine, options: once)
                let sender = try ClusterDispatcher(messages, on: engine, options: once)
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await TaskContext().run { try await worker.run() }
                    }
                    let findings = await withWriteToken(WriteToken()) {
                        await visit.findings(through: sender, to: destination, declaration: declaration)
                    }
                    group.cancelAll()
                    try await group.waitForAll()
                    return findings
                }
            }
        }

        private static func declaration(_ step: ExampleStep, _ error: any Error) -> String {
            let type = type(of: error)
            let conform = error is any DeclaredError ? "" : "Conform \(type) to DeclaredError. "
            return "\(conform)Declare it: add \(type).self to the declaredErrors of \(step.type), or to the list."
        }
    }

#endif
