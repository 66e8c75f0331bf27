import DuetHummingbird
import Hummingbird
import Logging
import NIOCore
import Testing

/// What becomes of connections when the task of their server is cancelled.
@Suite(.timeLimit(.minutes(1)))
struct CancelledServerTests {
    @Test
    func `connections that nobody handles yet are closed`() async throws {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let (connections, connected) = AsyncStream.makeStream(of: Void.self)
        let application = Application(
            router: Router(),
            limits: ServerLimits(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { server in
                // No connection is handled before this returns.
                for _ in 1...20 {
                    Task {
                        let read = try await RawConnection.open(server.localAddress?.port ?? 0) { connection in
                            connected.yield()
                            return await connection.readToEnd()
                        }
                        text.yield(read)
                    }
                }
                _ = await connections.prefix(20).reduce(into: 0) { count, _ in count += 1 }
                // However long the server takes to accept them: what it accepts later is closed all the same.
                for _ in 1...100 { try? await server.eventLoop.submit {}.get() }
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try? await application.run()
        for await read in texts.prefix(20) { #expect(read == "") }
    }
}
