import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTPS server on a free port that responds to each request over HTTP/2 with scripted heads.
enum HTTP2Script {
    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private let statuses: [String]

        init(_ statuses: [String]) {
            self.statuses = statuses
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .headers = unwrapInboundIn(data) else { return }
            for (index, status) in statuses.enumerated() {
                let isLast = index == statuses.count - 1
                let head = HTTP2Frame.FramePayload.headers(.init(headers: [":status": status], endStream: isLast))
                context.write(wrapOutboundOut(head), promise: nil)
            }
            context.flush()
        }
    }

    /// Runs a test with a server whose responses have these statuses, one head after the other.
    static func run(
        _ statuses: [String],
        signedBy authority: CertificateAuthority,
        test: (_ port: Int) async throws -> Void
    ) async throws {
        var tls = try authority.makeServerConfiguration()
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    // Header validation is off, so that the script may send anything.
                    try pipeline.addHandler(
                        NIOHTTP2Handler(
                            mode: .server,
                            headerBlockValidation: .disabled,
                            contentLengthValidation: .disabled
                        )
                    )
                    try pipeline.addHandler(
                        HTTP2StreamMultiplexer(mode: .server, channel: channel) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                try stream.pipeline.syncOperations.addHandler(Answer(statuses))
                            }
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await test(listener.localAddress?.port ?? 0)
        } catch {
            try? await listener.close()
            throw error
        }
        try await listener.close()
    }
}
