import DuetAsyncHTTPClient
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServiceLifecycle
import Testing

@Suite struct LiveShutdownTests {
    @Test func `a server that shuts down ends its streams`() async throws {
        let world = try LiveWorld()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = Application(
            router: world.router,
            limits: ServerLimits(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let group = ServiceGroup(services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let url = "http://127.0.0.1:\(try #require(await iterator.next()))/rooms/a/topics"
        try await withNIOHTTPClient(clock: ManualClock()) { client in
            var request = HTTPRequest(method: .get, url: try #require(URL(string: url)))
            request.headerFields[.accept] = "text/event-stream"
            let (head, body) = try await client.send(request)
            #expect(head.headerFields[.contentType] == "text/event-stream")
            var lines = EventLines(body)
            while let line = try await lines.next(), !line.hasPrefix("data") {}
            await group.triggerGracefulShutdown()
            #expect(try await lines.next() == nil)
        }
        try await running.value
    }
}
