import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// Tests of a server that refuses a large body before it has arrived, as a reverse proxy does.
@Suite(.timeLimit(.minutes(5)))
struct EarlyResponseTests {
    /// Responds to the first bytes of a request, and reads no more of it.
    private final class RefusalHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var hasResponded = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasResponded else { return }
            hasResponded = true
            let text = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            context.channel.setOption(.autoRead, value: false).whenFailure { Issue.record($0) }
        }
    }

    /// From sizes of which the buffers of the system take everything to those of which they take little.
    @Test(arguments: [65_536, 1_000_000, 4_000_000, 6_500_000, 8_000_000, 32_000_000])
    func `the refusal of a large body reaches the sender`(size: Int) async throws {
        try await withServer { client, server in
            let request = HTTPRequest(method: .put, scheme: "http", authority: server, path: "/")
            let (response, body) = try await client.data(for: request, body: Data(repeating: 7, count: size))
            #expect(response.status.code == 413)
            #expect([Data(), Data("no".utf8)].contains(body))
        }
    }

    /// With some of the sizes, only the end of the request cannot be written.
    @Test func `a refusal that is the value of a query is complete or an error`() async throws {
        var options = HTTPRequestOptions()
        options.acceptedStatuses = [413]
        try await withServer { client, server in
            let request = HTTPRequest(method: .post, scheme: "http", authority: server, path: "/")
            for size in stride(from: 4_194_304, through: 6_291_456, by: 65_536) {
                let value = try? await options.use {
                    try await client.data(for: request, body: Data(repeating: 7, count: size)).1
                }
                #expect([nil, Data("no".utf8)].contains(value), "\(size)")
            }
        }
    }

    private func withServer(_ test: (ProbedClient, _ authority: String) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RefusalHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await Adapter.asyncHTTPClient.withClient { client in try await test(client, "127.0.0.1:\(port)") }
        try await listener.close()
    }
}
