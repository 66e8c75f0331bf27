import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTPS server on a free port that responds to each request over HTTP/2 with scripted frames.
enum HTTP2Script {
    /// A step of the server after the head of a request has arrived.
    enum Step: Sendable {
        /// Sends the head of a response.
        case head(String, of: Int, isEnd: Bool = true)

        /// Announces the end of the connection, and the last stream that is processed.
        case goAway(last: Int)

        /// Ends a stream.
        case reset(Int, HTTP2ErrorCode)

        /// Closes the connection.
        case close
    }

    /// The head of a request that has arrived.
    struct Request: Sendable {
        /// The number of requests so far, on all connections.
        let number: Int

        /// The number of its stream: 1, 3, 5 and so on.
        let stream: Int
    }

    /// Runs a test with a server that performs the steps of a script for each request.
    static func run(
        signedBy authority: CertificateAuthority,
        script: @escaping @Sendable (Request) -> [Step],
        test: (_ port: Int, ServerLog) async throws -> Void
    ) async throws {
        var tls = try authority.makeServerConfiguration()
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let log = ServerLog()
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    log.follow(channel)
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
                    try pipeline.addHandler(Performer(script, log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await test(listener.localAddress?.port ?? 0, log)
        } catch {
            try? await listener.close()
            throw error
        }
        try await listener.close()
    }

    private final class Performer: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias OutboundOut = HTTP2Frame

        private let script: @Sendable (Request) -> [Step]
        private let log: ServerLog

        init(_ script: @escaping @Sendable (Request) -> [Step], _ log: ServerLog) {
            self.script = script
            self.log = log
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            guard case .headers(let head) = frame.payload else { return }
            let line = "\(head.headers.first(name: ":method") ?? "") \(head.headers.first(name: ":path") ?? "") HTTP/2"
            var number = 0
            log.record {
                $0.requests.append(ReceivedRequest(line: line, fields: [:], body: ""))
                number = $0.requests.count
            }
            for step in script(Request(number: number, stream: Int(frame.streamID))) { perform(step, context) }
        }

        private func perform(_ step: Step, _ context: ChannelHandlerContext) {
            let frame: HTTP2Frame
            switch step {
            case .head(let status, let stream, let isEnd):
                let head = HTTP2Frame.FramePayload.headers(.init(headers: [":status": status], endStream: isEnd))
                frame = HTTP2Frame(streamID: HTTP2StreamID(stream), payload: head)
            case .goAway(let last):
                let payload = HTTP2Frame.FramePayload.goAway(
                    lastStreamID: HTTP2StreamID(last),
                    errorCode: .noError,
                    opaqueData: nil
                )
                frame = HTTP2Frame(streamID: .rootStream, payload: payload)
            case .reset(let stream, let code):
                frame = HTTP2Frame(streamID: HTTP2StreamID(stream), payload: .rstStream(code))
            case .close:
                return context.close(promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        }
    }
}
