import DuetHTTP
import DuetHummingbird
import FeedComposition
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

/// An origin in this process, which records the requests that it receives.
final class OriginStub: HTTPClient {
    private let respond: @Sendable @concurrent (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
    private let requests = Mutex<[HTTPRequest]>([])

    /// Creates an origin that responds with `respond`.
    init(
        respond: @escaping @Sendable @concurrent (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
    ) {
        self.respond = respond
    }

    /// Creates an origin whose responses are all alike.
    convenience init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], content: String = "") {
        self.init { _, _ in (HTTPResponse(status: status, headerFields: fields), HTTPBody(Data(content.utf8))) }
    }

    var received: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        requests.withLock { $0.append(request) }
        return try await respond(request, body)
    }
}

/// Runs `body` with the port of a proxy in front of `origin`, whose name in `Via` is `feed`.
func withProxy<Value>(to origin: any HTTPClient, body: (_ port: Int) async throws -> Value) async throws -> Value {
    let (ports, started) = AsyncStream.makeStream(of: Int.self)
    let proxy = try ProxyResponder(client: origin, pseudonym: "feed", authority: "origin.test").server(
        host: "127.0.0.1",
        port: 0,
        hosts: .any,
        onServerRunning: { channel in
            if let port = channel.localAddress?.port { started.yield(port) }
        },
        logger: .silent
    )
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { started.finish() }
            try await proxy.run()
        }
        defer { group.cancelAll() }
        return try await body(try #require(await ports.first { _ in true }))
    }
}

/// Sends requests through a proxy to `origin` over one connection, and returns the responses.
func forward(_ requests: TestClient.Request..., to origin: any HTTPClient) async throws -> [TestClient.Response] {
    try await forward(requests, to: origin)
}

/// Sends requests through a proxy to `origin` over one connection, and returns the responses.
func forward(_ requests: [TestClient.Request], to origin: any HTTPClient) async throws -> [TestClient.Response] {
    try await withProxy(to: origin) { port in
        try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
            var responses: [TestClient.Response] = []
            for request in requests { responses.append(try await client.execute(request)) }
            return responses
        }
    }
}

extension TestClient.Request {
    static func to(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        _ fields: HTTPFields = [:],
        content: String? = nil
    ) -> TestClient.Request {
        TestClient.Request(
            path,
            method: method,
            authority: "a.test",
            headers: fields,
            body: content.map { ByteBuffer(string: $0) }
        )
    }
}

extension HTTPBody {
    func text() async throws -> String {
        String(decoding: try await collect(upTo: 1_000_000, orThrow: CancellationError()), as: UTF8.self)
    }
}

extension TestClient.Response {
    var text: String { body.map { String(buffer: $0) } ?? "" }
}

/// A TCP connection to the proxy, for bytes that no client would send.
struct ProxyConnection: Sendable {
    private let channel: any Channel
    private let parts: AsyncStream<String>

    /// Opens a connection for as long as `use` takes.
    static func open<Value>(_ port: Int, use: (ProxyConnection) async throws -> Value) async throws -> Value {
        let (parts, part) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(part))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let result: Result<Value, any Error>
        do {
            result = .success(try await use(ProxyConnection(channel: channel, parts: parts)))
        } catch {
            result = .failure(error)
        }
        try? await channel.close()
        return try result.get()
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// The text that arrives until it ends with `end`, or until the proxy closes the connection.
    func read(until end: String? = nil) async -> String {
        var text = ""
        for await part in parts {
            text += part
            if let end, text.hasSuffix(end) { break }
        }
        return text
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let part: AsyncStream<String>.Continuation

        init(_ part: AsyncStream<String>.Continuation) {
            self.part = part
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            part.yield(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) {
            part.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            part.finish()
            context.close(promise: nil)
        }
    }
}
