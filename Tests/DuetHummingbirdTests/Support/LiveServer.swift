import DuetHummingbird
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Testing

/// Runs a router as a server on a free port of this machine for as long as `test` takes.
func withServer<Value: Sendable>(
    _ router: Router<BasicRequestContext>,
    limits: ServerLimits = ServerLimits(),
    test: @Sendable @escaping @concurrent (_ port: Int) async throws -> Value
) async throws -> Value {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
        router: router,
        server: .http1(limits: limits),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)).limited(by: limits),
        onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
        logger: logger
    )
    let group = ServiceGroup(services: [application], logger: logger)
    return try await withThrowingTaskGroup { tasks in
        tasks.addTask { try await group.run() }
        let port = try #require(await ports.first { _ in true })
        let result: Result<Value, any Error>
        do {
            result = .success(try await test(port))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return try result.get()
    }
}
