#if Hummingbird

    package import DuetHummingbird
    package import Hummingbird
    import Logging

    /// Runs `body` while a server answers on a free port of this machine, and stops the server however `body` ends.
    ///
    /// What the server's connections find in their tasks is what this task has: a tracer, a factory of metrics.
    ///
    /// - Throws: Why the server did not start; what `body` throws.
    package func withServer<Responder: HTTPResponder, Value>(
        _ responder: Responder,
        limits: ServerLimits = ServerLimits(),
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
