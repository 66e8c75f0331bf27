import DuetAsyncHTTPClient
import DuetHTTP
import DuetHTTPCaching
import FeedComposition
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

/// A proxy with a cache in front of the origin, in parts and as the program runs it.
@Suite(.timeLimit(.minutes(5)))
struct CachingProxyTests {
    private let fields: HTTPFields = [
        .cacheControl: "max-age=60", .date: "Tue, 14 Nov 2023 22:13:20 GMT", .contentLength: "5",
    ]

    @Test func `a stored response is sent again without the origin, with the Date that it had`() async throws {
        let origin = OriginStub(fields: fields, content: "hello")
        let responses = try await forward(.to(), .to(), .to(.head), to: cached(origin))
        #expect(origin.received.count == 1)
        #expect(responses.map(\.text) == ["hello", "hello", ""])
        #expect(responses.map { $0.headers[.contentLength] } == ["5", "5", "5"])
        #expect(responses.map { $0.headers[values: .date] } == Array(repeating: [fields[.date] ?? ""], count: 3))
        #expect(responses.map(\.isHit) == [false, true, true])
        #expect(responses.map { $0.headers[values: .via] } == Array(repeating: ["1.1 feed"], count: 3))
    }

    @Test func `a response without content is stored`() async throws {
        let origin = OriginStub(status: .noContent, fields: [.cacheControl: "max-age=60"])
        let responses = try await forward(.to(), .to(), to: cached(origin))
        #expect(origin.received.count == 1)
        #expect(responses.map(\.isHit) == [false, true])
    }

    @Test func `a compressed response passes the proxy as it is, also from the cache`() async throws {
        var fields = fields
        fields[.contentEncoding] = "gzip"
        let responses = try await forward(.to(), .to(), to: cached(OriginStub(fields: fields, content: "hello")))
        #expect(responses.map(\.text) == ["hello", "hello"])
        #expect(responses.map { $0.headers[.contentEncoding] } == ["gzip", "gzip"])
        #expect(responses.map(\.isHit) == [false, true])
    }

    @Test func `a change through the proxy removes the stored response`() async throws {
        let origin = OriginStub(fields: fields, content: "hello")
        let responses = try await forward(.to(), .to(.post, content: "x"), .to(), to: cached(origin))
        #expect(origin.received.map(\.method) == [.get, .post, .get])
        #expect(responses.map(\.isHit) == [false, false, false])
    }

    @Test(arguments: [(HTTPResponse.Status.noContent, [false, false, true]), (.forbidden, [true, true, true])])
    func `a deletion through the proxy removes the responses with any query and below the path`(
        status: HTTPResponse.Status,
        areHits: [Bool]
    ) async throws {
        let fields = fields
        let origin = OriginStub { request, _ in
            guard request.method == .delete else {
                return (HTTPResponse(status: .ok, headerFields: fields), HTTPBody(Data("hello".utf8)))
            }
            return (HTTPResponse(status: status), HTTPBody(Data()))
        }
        let gets: [TestClient.Request] = ["/image/1?width=480&hash=a", "/image/1/details", "/image/12"]
            .map { .to(.get, $0) }
        let requests = gets + [.to(.delete, "/image/1")] + gets
        let responses = try await forward(requests, to: DeletionClient(cached(origin)))
        #expect(responses.suffix(3).map(\.isHit) == areHits)
    }

    @Test func `the program's proxy stores the responses of a server, which sees its own name`() async throws {
        let router = Router()
        router.get("/hello") { request, _ in
            Response(
                status: .ok,
                headers: [.cacheControl: "max-age=60"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(request.head.authority ?? "") \(UUID())"))
            )
        }
        try await withServer(router.buildResponder()) { port in
            let (first, second) = try await responses(to: "/hello", fromOriginAt: port)
            #expect(first.status == .ok)
            #expect(first.text.hasPrefix("127.0.0.1:\(port) "))
            #expect(second.text == first.text)
            #expect(second.isHit)
        }
    }

    @Test func `the program's proxy on this machine refuses other host names, before its origin has a request`()
        async throws
    {
        let requests = Mutex(0)
        let router = Router()
        router.get("/hello") { _, _ in
            requests.withLock { $0 += 1 }
            return "hello"
        }
        try await withServer(router.buildResponder()) { port in
            for host in ["evil.example", "evil.example:\(port)"] {
                let (first, second) = try await responses(to: "/hello", host: host, fromOriginAt: port)
                #expect([first.status, second.status] == [.misdirectedRequest, .misdirectedRequest])
            }
        }
        #expect(requests.withLock { $0 } == 0)
    }

    @Test func `the program's proxy reports an origin that refuses connections, without its address`() async throws {
        let (first, _) = try await responses(to: "/", fromOriginAt: 1)
        #expect(first.status == .badGateway)
        #expect(first.text == "The origin could not be reached, or its response is not valid HTTP.\n")
    }

    @Test func `the program's proxy sends a request again when the origin closed the connection`() async throws {
        let connections = Mutex(0)
        let origin = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                let isFirst = connections.withLock { count in
                    count += 1
                    return count == 1
                }
                return channel.pipeline.addHandler(ClosingOrigin(responds: !isFirst))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let (first, _) = try await responses(to: "/", fromOriginAt: try #require(origin.localAddress?.port))
        #expect(first.status == .ok)
        #expect(first.text == "hello")
        try await origin.close()
    }

    @Test(arguments: [
        ("http://a", "http://a"), ("HTTP://a:80/", "http://a"), ("https://a:443", "https://a"),
        ("https://a:80", "https://a:80"), ("http://[::1]:8080", "http://[::1]:8080"),
    ])
    func `an origin is a scheme, a host and a port that is not the scheme's own`(text: String, origin: String) throws {
        let url = try #require(URL(string: text))
        #expect(try ProxyOrigin(url).description == origin)
    }

    @Test(arguments: ["ftp://a", "http://a/path", "http://a?q", "http://a#f", "http://u@a", "http://a:0", "a"])
    func `another URL is not an origin`(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: InvalidOrigin.self) { try ProxyOrigin(url) }
    }

    private func cached(_ origin: OriginStub) -> CachingHTTPClient {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        return origin.caching(policy: .shared, configuration: .init(now: { now }))
    }

    /// Sends two requests through the program's proxy.
    private func responses(
        to path: String,
        host: String = "localhost",
        fromOriginAt port: Int
    ) async throws -> (TestClient.Response, TestClient.Response) {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let options = ProxyOptions(origin: try ProxyOrigin(url), port: 0, isShared: true)
        let servers = FeedServers(environment: FeedComposition.Environment(logger: .silent))
        let (addresses, announcement) = AsyncStream.makeStream(of: URL.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { announcement.finish() }
                try await servers.runProxy(options) { announcement.yield($0) }
            }
            defer { group.cancelAll() }
            let proxy = try #require(await addresses.first { _ in true }?.port)
            let request = TestClient.Request(path, method: .get, authority: host)
            return try await TestClient.withClient(host: "127.0.0.1", port: proxy) { client in
                (try await client.execute(request), try await client.execute(request))
            }
        }
    }
}

/// Responds to each request of a connection, or closes the connection without a response.
private final class ClosingOrigin: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let responds: Bool

    init(responds: Bool) {
        self.responds = responds
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard responds else { return context.close(promise: nil) }
        let response = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        context.writeAndFlush(wrapOutboundOut(response), promise: nil)
    }
}

extension TestClient.Response {
    fileprivate var isHit: Bool { headers[.cacheStatus]?.contains("; hit") == true }
}
