#if Hummingbird

    package import DuetHummingbird
    import DuetTesting
    package import Hummingbird
    import Logging

    extension ServerLimits {
        /// Limits of clients that may be slow.
        package static var patient: ServerLimits {
            ServerLimits(idleTimeout: .seconds(3_600), bodyTimeout: .seconds(3_600), writeTimeout: .seconds(3_600))
        }
    }

    /// Runs `body` while a server listens on a free local port, and stops the server afterward, even after an error.
    ///
    /// The server's connections inherit the task-local values of this task, such as a tracer or a metrics factory.
    ///
    /// - Throws: The error with which the server failed to start, or the error of `body`.
    package func withServer<Responder: HTTPResponder, Value>(
        _ responder: Responder,
        limits: ServerLimits = .patient,
        body: (_ port: Int) async throws -> Value
    ) async throws -> Value
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let (ports, started) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: responder,
            limits: limits,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { started.yield(port) }
            },
            logger: Logger(label: "withServer") { _ in SilentLogHandler() },
            wrapping: { $0 }
        )
        return try await withThrowingTaskGroup { group in
            group.addTask {
                defer { started.finish() }
                try await application.run()
            }
            defer { group.cancelAll() }
            for await port in ports { return try await body(port) }
            try await group.waitForAll()
            throw CancellationError()
        }
    }

#endif
