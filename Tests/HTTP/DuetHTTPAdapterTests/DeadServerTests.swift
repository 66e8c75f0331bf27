import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import DuetURLSession
import FeedTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A dead server is reported at once if the network reports it, and otherwise at the deadline.
///
/// The clocks stand still unless a test advances them, so errors without that took no time.
@Suite(.timeLimit(.minutes(5)))
struct DeadServerTests {
    private static let half = Step.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")

    private let clock = ManualClock()
    private let pauses = ManualClock()
    /// Other tests cannot get the port, as they could get that of a server that was stopped.
    private let port: ReservedPort

    init() throws {
        port = try ReservedPort()
    }

    @Test(arguments: Adapter.allCases)
    func `a refused connection is an error at once`(adapter: Adapter) async throws {
        try await adapter.withClient(deadline: .seconds(10), clock: clock) { client in
            let request = requestToNobody
            try await expect(.connectionFailed) { try await client.data(for: request) }
            let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request) }
            // URLSession on Linux does not report which of a host's addresses refused.
            let isKnown = !adapter.isURLSessionOnLinux
            #expect(error?.isUnsent == isKnown)
            #expect(error.map { "\($0)".hasSuffix("Is the server running there?") } == isKnown)
        }
    }

    @Test(arguments: Adapter.allCases, [Step.close, .reset])
    func `a connection that ends within the response is an error at once`(adapter: Adapter, end: Step) async throws {
        try await adapter.withServer({ _ in [Self.half, end] }, deadline: .seconds(10), clock: clock) {
            server,
            client in
            try await expect(.connectionFailed) { try await client.data(for: server.request()) }
            let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: server.request()) }
            #expect(error?.isUnsent == false)
            #expect(error.map { "\($0)".contains("Is the server") } == false)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a host that vanishes within the response is an error at the deadline`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [Self.half] }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            await clock.nextSleeper()
            await server.log.until { $0.requests.count == 1 }
            clock.advance(by: .milliseconds(9_999))
            #expect(server.log.entry.open == 1)
            clock.advance(by: .milliseconds(1))
            try await expect(.deadlineExceeded(after: .seconds(10))) { try await task.value }
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a refused connection is an error after the delays of three attempts, at most 300 milliseconds`(
        adapter: Adapter
    )
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        try await adapter.withClient(deadline: .seconds(10), clock: clock) { client in
            let request = requestToNobody
            let retrying = client.retrying(clock: pauses, generator: SeededGenerator(seed: seed))
            let task = Task { try await retrying.data(for: request) }
            for _ in 1...2 { pauses.advance(by: await pauses.nextSleeper()) }
            let error = await #expect(throws: HTTPClientError.self) { try await task.value }
            #expect(error?.attempts.count == 3, "seed \(seed)")
            #expect(error?.isUnsent == !adapter.isURLSessionOnLinux, "seed \(seed)")
            #expect(error.map { FailureKind($0.reason) } == .connectionFailed, "seed \(seed)")
            #expect(pauses.now.offset <= .milliseconds(300), "seed \(seed)")
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a host that vanishes within the response is an error after three deadlines`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [Self.half] }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let retrying = client.retrying(clock: pauses)
            let task = Task { try await retrying.data(for: request) }
            for attempt in 1...3 {
                await clock.nextSleeper()
                await server.log.until { $0.requests.count == attempt }
                clock.advance(by: .seconds(10))
                if attempt < 3 { pauses.advance(by: await pauses.nextSleeper()) }
            }
            let error = await #expect(throws: HTTPClientError.self) { try await task.value }
            #expect(error?.attempts.count == 3)
            #expect(error.map { FailureKind($0.reason) } == .deadlineExceeded(after: .seconds(10)))
        }
    }

    @Test(arguments: Adapter.allCases)
    func `one deadline around all attempts is exceeded first`(adapter: Adapter) async throws {
        let total = ManualClock()
        try await adapter.withServer({ _ in [Self.half] }, deadline: .seconds(10), clock: clock) { server, client in
            let request = server.request()
            let decorated = client.retrying(clock: pauses).deadline(.seconds(15), clock: total)
            let task = Task { try await decorated.data(for: request) }
            await total.nextSleeper()
            await clock.nextSleeper()
            await server.log.until { $0.requests.count == 1 }
            clock.advance(by: .seconds(10))
            pauses.advance(by: await pauses.nextSleeper())
            await server.log.until { $0.requests.count == 2 }
            total.advance(by: .seconds(15))
            try await expect(.deadlineExceeded(after: .seconds(15))) { try await task.value }
            await server.log.until { $0.open == 0 }
        }
    }

    @Test func `a request whose body fails may have been sent, though the source of its body was never reached`()
        async throws
    {
        try await Adapter.asyncHTTPClient.withServer { _ in
            []
        } test: { server, client in
            let source = HTTPClientError.connectionFailed(
                url: "https://source.example",
                reason: "the connection was refused",
                underlying: NotConnected(CancellationError())
            )
            let pieces = AsyncThrowingStream<Data, any Error> { stream in
                stream.yield(Data("12345".utf8))
                stream.finish(throwing: source)
            }
            let error = await #expect(throws: HTTPClientError.self) {
                _ = try await client.send(server.request(.post), body: HTTPBody(pieces))
            }
            #expect(source.isUnsent)
            #expect(error?.isUnsent == false)
            #expect(error.map { "\($0)" } == "No response from https://source.example: the connection was refused.")
        }
    }

    /// A request to the port of a stopped server.
    private var requestToNobody: HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port.number)", path: "/")
    }

    @Test(arguments: Adapter.allCases, [1, 20, 100])
    func `a client opens as many connections to a host as its configuration says`(
        adapter: Adapter,
        count: Int
    ) async throws {
        #expect(NIOHTTPClient.Configuration().connectionsPerHost == 100)
        #expect(URLSessionHTTPClient.Configuration().connectionsPerHost == 100)
        let server = try await RawServer.start { _ in [] }
        try await adapter.withClient(connectionsPerHost: count) { client in
            let tasks = (1...120).map { _ in Task { try await client.data(for: server.request()) } }
            let entry = await server.log.until { $0.requests.count == count }
            #expect(entry.accepted == count)
            for task in tasks { task.cancel() }
            for task in tasks { _ = try? await task.value }
        }
        try await server.stop()
    }

    @Test(arguments: Adapter.allCases)
    func `streams that do not end leave connections for other requests`(adapter: Adapter) async throws {
        try await adapter.withServer { request in
            request.target == "/stream" ? [.text("HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n")] : [.answer()]
        } test: { server, client in
            var streams: [HTTPBody] = []
            for _ in 1...32 { streams.append(try await client.send(server.request(.get, "/stream")).1) }
            #expect(try await client.data(for: server.request()).0.status == .ok)
            withExtendedLifetime(streams) {}
        }
    }
}
