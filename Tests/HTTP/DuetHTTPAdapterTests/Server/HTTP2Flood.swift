import NIOCore
import NIOPosix
import NIOSSL

/// The frames with which a hostile server floods a client over HTTP/2, without end.
enum HTTP2Flood: CaseIterable {
    case ping
    case settings
    case emptyData
    case paddedData
    case tinyData
    case dataOfNoStream
    case headersWithoutEnd
    case continuation
    case emptyContinuation
    case informational
    case priority
    case reset
    case windowUpdate
    case pushPromise
    case goAway
    case unknown
    case largeUnknown
    case oversized
    case noFrames

    /// The frames before the endless ones, after the server's settings.
    func beginning(stream: UInt32) -> [UInt8] {
        switch self {
        case .emptyData, .paddedData, .tinyData: Self.frame(1, flags: 4, stream, [0x88])
        case .continuation, .emptyContinuation: Self.frame(1, stream, [0x88])
        default: []
        }
    }

    /// The frame that is sent without end.
    func repeated(stream: UInt32) -> [UInt8] {
        switch self {
        case .ping: Self.frame(6, 0, Array(repeating: 7, count: 8))
        case .settings: Self.frame(4, 0)
        case .emptyData: Self.frame(0, stream)
        case .paddedData: Self.frame(0, flags: 8, stream, [255] + Array(repeating: 0, count: 255))
        case .tinyData: Self.frame(0, stream, [120])
        case .dataOfNoStream: Self.frame(0, stream + 2, Array(repeating: 120, count: 100))
        case .headersWithoutEnd: Self.frame(1, stream, [0x88])
        case .continuation: Self.frame(9, stream, [0, 1, 97, 127, 0x80, 0x01] + Array(repeating: 97, count: 255))
        case .emptyContinuation: Self.frame(9, stream)
        case .informational: Self.frame(1, flags: 4, stream, [0x08, 3, 0x31, 0x30, 0x33])
        case .priority: Self.frame(2, stream, [0, 0, 0, 0, 1])
        case .reset: Self.frame(3, stream, [0, 0, 0, 0])
        case .windowUpdate: Self.frame(8, 0, [0, 0, 0, 1])
        case .pushPromise: Self.frame(5, flags: 4, stream, [0, 0, 0, 2, 0x82])
        case .goAway: Self.frame(7, 0, [0, 0, 0, 1, 0, 0, 0, 0])
        case .unknown: Self.frame(250, 0)
        case .largeUnknown: Self.frame(250, 0, Array(repeating: 0, count: 16_000))
        case .oversized: [255, 255, 255, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 16_000)
        case .noFrames: Array("HTTP/1.1 200 OK\r\n".utf8)
        }
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + (0..<4).map { UInt8(stream >> (24 - 8 * $0) & 255) } + payload
    }
}

/// An HTTPS server on a free port that sends a flood of frames over HTTP/2 to each client, and keeps the connection.
///
/// It has its own thread, because its client needs the others.
struct FloodingServer {
    /// The moment when the flood begins.
    enum Beginning: CaseIterable {
        case withoutSettings
        case afterSettings
        case afterRequest
    }

    let port: Int
    let log: ServerLog
    private let listener: any Channel
    private let group: MultiThreadedEventLoopGroup

    /// - Parameter limit: The number of bytes after which nothing more comes.
    static func start(
        _ flood: HTTP2Flood,
        _ beginning: Beginning,
        limit: Int,
        signedBy authority: CertificateAuthority
    ) async throws -> FloodingServer {
        var tls = try authority.makeServerConfiguration()
        tls.applicationProtocols = ["h2", "http/1.1"]
        let context = try NIOSSLContext(configuration: tls)
        let log = ServerLog()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    log.follow(channel)
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(FloodHandler(flood, beginning, limit: limit))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FloodingServer(port: listener.localAddress?.port ?? 0, log: log, listener: listener, group: group)
    }

    func disconnect() {
        for channel in log.channels { channel.close(promise: nil) }
    }

    func stop() async throws {
        try await listener.close()
        disconnect()
        await log.until { $0.open == 0 }
        try await group.shutdownGracefully()
    }
}

/// Waits for a client's settings or its first request, and floods it.
private final class FloodHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let flood: HTTP2Flood
    private let beginning: FloodingServer.Beginning
    private let limit: Int
    private var received: [UInt8] = []
    private var isFlooding = false

    init(_ flood: HTTP2Flood, _ beginning: FloodingServer.Beginning, limit: Int) {
        self.flood = flood
        self.beginning = beginning
        self.limit = limit
    }

    func channelActive(context: ChannelHandlerContext) {
        // The bytes are sent after the handshake.
        if beginning == .withoutSettings { return begin(context, stream: 1) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: HTTP2Flood.frame(4, 0))), promise: nil)
        if beginning == .afterSettings { begin(context, stream: 1) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFlooding else { return }
        received += Array(unwrapInboundIn(data).readableBytesView)
        // The client's preface has 24 bytes; frames follow.
        var rest = received.dropFirst(24)
        while let header = Optional(Array(rest.prefix(9))), header.count == 9 {
            let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            if header[3] == 1 { return begin(context, stream: UInt32(header[8])) }
            rest = rest.dropFirst(9 + length)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func begin(_ context: ChannelHandlerContext, stream: UInt32) {
        isFlooding = true
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(bytes: flood.beginning(stream: stream)), promise: nil)
        let frame = flood.repeated(stream: stream)
        let frames = Array(repeatElement(frame, count: 65_536 / frame.count + 1).joined())
        Self.pour(ByteBuffer(bytes: frames), into: channel, rest: limit)
    }

    private static func pour(_ buffer: ByteBuffer, into channel: any Channel, rest: Int) {
        guard rest > 0 else { return }
        channel.writeAndFlush(buffer).whenSuccess {
            // Not at once: a write that succeeds without waiting would recurse forever.
            channel.eventLoop.execute { pour(buffer, into: channel, rest: rest - buffer.readableBytes) }
        }
    }
}
