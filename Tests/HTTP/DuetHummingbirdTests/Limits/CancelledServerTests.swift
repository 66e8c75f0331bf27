import DuetHummingbird
import Hummingbird
import Logging
import NIOCore
import Testing

/// The connections of a server whose task is canceled.
@Suite(.timeLimit(.minutes(5)))
struct CancelledServerTests {
    @Test
    func `connections that are not handled yet are closed`() async throws {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let (connections, connected) = AsyncStream.makeStream(of: Void.self)
        let application = Application(
            router: Router(),
            limits: ServerLimits(bodyTimeout: .milliseconds(10)),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { server in
                // No connection is handled before this returns. No more than ten are accepted.
                for _ in 1...5 {
                    Task {
                        let read = try await RawConnection.open(server.localAddress?.port ?? 0) { connection in
                            connected.yield()
                            return await connection.readToEnd()
                        }
                        text.yield(read)
                    }
                }
                _ = await connections.prefix(5).reduce(into: 0) { count, _ in count += 1 }
                // A later one gets a response before it is handled: then the server has accepted all.
                let last = try? await RawConnection.open(server.localAddress?.port ?? 0) { connection in
                    try await connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
                    return await connection.readToEnd()
                }
                #expect(last?.hasPrefix("HTTP/1.1 408 ") == true)
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try? await application.run()
        for await read in texts.prefix(5) { #expect(read == "") }
    }
}
