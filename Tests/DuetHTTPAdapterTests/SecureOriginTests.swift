import DuetHTTP
import FeedProxy
import FeedTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import Testing

/// The proxy's client before an origin that speaks TLS.
@Suite(.timeLimit(.minutes(5)))
struct SecureOriginTests {
    @Test func `an origin is trusted whose authority is named`() async throws {
        try await withOrigin { server, file in
            let client = try Self.client(of: "localhost", server, OriginSettings(authorities: file))
            defer { client.shutdown() }
            for _ in 1...2 {
                let body = Data(repeating: 120, count: 300_000)
                let (response, data) = try await client.data(for: server.request(.post, "/echo"), body: body)
                #expect(response.status == .ok)
                #expect(data == body)
            }
        }
    }

    @Test(arguments: [("localhost", false), ("127.0.0.1", true)])
    func `one that nobody trusts, or of another name, is refused`(host: String, isTrusted: Bool) async throws {
        try await withOrigin { server, file in
            let settings = OriginSettings(authorities: isTrusted ? file : nil)
            let client = try Self.client(of: host, server, settings)
            defer { client.shutdown() }
            let error = try await expect(.connectionFailed) {
                try await client.data(for: server.request(.get, "/channel"))
            }
            let reason = isTrusted ? "failedToValidateHostname" : "CERTIFICATE_VERIFY_FAILED"
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test func `a connection that is being closed gets no request, though TLS takes its time over it`() async throws {
        let authority = try CertificateAuthority.new()
        let tls = try NIOSSLContext(configuration: authority.makeServerConfiguration())
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: tls), Talkative()])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        defer { listener.close(promise: nil) }
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(component: "authorities.pem")
        try Data(authority.pem.utf8).write(to: file)
        let port = try #require(listener.localAddress?.port)
        let origin = try Origin(#require(URL(string: "https://localhost:\(port)")))
        let client = try OriginClient(origin, settings: OriginSettings(authorities: file))
        defer { client.shutdown() }
        for number in 1...20 {
            let method: HTTPRequest.Method = number.isMultiple(of: 2) ? .post : .get
            let request = HTTPRequest(method: method, scheme: "https", authority: "localhost:\(port)", path: "/")
            let (response, _) = try await client.data(for: request, body: method == .post ? Data("hi".utf8) : nil)
            #expect(response.status == .ok)
        }
    }

    /// Sends more than an answer.
    private final class Talkative: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer + "HTTP/1.1 ")), promise: nil)
        }
    }

    @Test(arguments: ["", "no certificate"])
    func `a file without certificates is refused when it is given`(pem: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(component: "authorities.pem")
        try Data(pem.utf8).write(to: file)
        for url in [file, file.appending(path: "missing")] {
            let origin = try Origin(#require(URL(string: "https://localhost:1")))
            let error = #expect(throws: InvalidAuthorities.self) {
                try OriginClient(origin, settings: OriginSettings(authorities: url))
            }
            #expect(error?.description.contains("authorities.pem") == true)
        }
    }

    private func withOrigin(_ test: (TLSServer, URL) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(component: "authorities.pem")
        try await TLSServer.run(.http1, signedBy: .new()) { server in
            try Data(server.pem.utf8).write(to: file)
            try await test(server, file)
        }
    }

    private static func client(of host: String, _ server: TLSServer, _ settings: OriginSettings) throws -> OriginClient
    {
        try OriginClient(Origin(#require(URL(string: "https://\(host):\(server.port)"))), settings: settings)
    }
}
