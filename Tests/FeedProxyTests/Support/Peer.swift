import NIOCore
import NIOPosix
import Synchronization

/// One end of a TCP connection, byte by byte: a client or an origin that does what no library would.
final class Peer: Sendable {
    let channel: any Channel
    private let arrivals: AsyncStream<ByteBuffer>
    private let rest = Mutex<[UInt8]>([])
    private let fate: Fate

    /// Whether the connection broke.
    var isBroken: Bool { fate.isBroken.load(ordering: .relaxed) }

    init(channel: any Channel, arrivals: AsyncStream<ByteBuffer>, fate: Fate = Fate()) {
        self.channel = channel
        self.arrivals = arrivals
        self.fate = fate
    }

    /// How a connection ended.
    final class Fate: Sendable {
        let isBroken = Atomic(false)
    }

    static func connect(port: Int) async throws -> Peer {
        let (arrivals, arrival) = AsyncStream.makeStream(of: ByteBuffer.self)
        let fate = Fate()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(arrival, fate))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return Peer(channel: channel, arrivals: arrivals, fate: fate)
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Sends the same again and again until the other end has closed; how often that went, which is `limit` when it has not.
    func send(_ bytes: [UInt8], atMost limit: Int) async -> Int {
        var count = 0
        while count < limit, (try? await send(bytes)) != nil { count += 1 }
        return count
    }

    func close() async throws {
        try await channel.close()
    }

    /// What has come up to the end of `end`, or all there is when the other end closed first.
    ///
    /// What comes after it stays for the next time.
    func read(until end: String) async -> String {
        var bytes = take()
        while true {
            if let range = bytes.firstRange(of: end.utf8) {
                rest.withLock { $0 = Array(bytes[range.upperBound...]) }
                return String(decoding: bytes[..<range.upperBound], as: UTF8.self)
            }
            guard let arrival = await next() else { return String(decoding: bytes, as: UTF8.self) }
            bytes += arrival.readableBytesView
        }
    }

    func readHead() async -> String { await read(until: "\r\n\r\n") }

    /// So many bytes, or fewer when the other end closed first.
    func read(_ count: Int) async -> [UInt8] {
        var bytes = take()
        while bytes.count < count, let arrival = await next() { bytes += arrival.readableBytesView }
        return bytes
    }

    /// All that comes until the other end closes.
    func readToEnd() async -> String {
        var bytes = take()
        while let arrival = await next() { bytes += arrival.readableBytesView }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func next() async -> ByteBuffer? {
        await arrivals.first { _ in true }
    }

    private func take() -> [UInt8] {
        rest.withLock { rest in
            defer { rest = [] }
            return rest
        }
    }

    final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let arrival: AsyncStream<ByteBuffer>.Continuation
        private let fate: Fate

        init(_ arrival: AsyncStream<ByteBuffer>.Continuation, _ fate: Fate = Fate()) {
            self.arrival = arrival
            self.fate = fate
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            arrival.yield(unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { arrival.finish() }
        }

        func channelInactive(context: ChannelHandlerContext) {
            arrival.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            fate.isBroken.store(true, ordering: .relaxed)
            arrival.finish()
            context.close(promise: nil)
        }
    }
}
