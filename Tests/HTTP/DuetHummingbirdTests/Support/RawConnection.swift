import NIOCore
import NIOPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A TCP connection to a server on this machine, for bytes that no HTTP client would send.
struct RawConnection: Sendable {
    /// The number of bytes that have arrived, whether the test has read them or not.
    private final class Count: Sendable {
        let bytes = Atomic(0)
    }

    let channel: any Channel
    private let parts: AsyncStream<String>
    private let count: Count

    var receivedBytes: Int { count.bytes.load(ordering: .relaxed) }

    /// Opens a connection for as long as `use` takes.
    ///
    /// - Parameter receiveBuffer: The number of bytes that the system accepts before the client reads; nil for the
    ///   default.
    static func open<Value>(
        _ port: Int,
        receiveBuffer: Int? = nil,
        use: (RawConnection) async throws -> Value
    ) async throws -> Value {
        let (parts, part) = AsyncStream.makeStream(of: String.self)
        let count = Count()
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
                .channelOption(.maxMessagesPerRead, value: 1)
        }
        let channel =
            try await bootstrap.channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(part, count))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let result: Result<Value, any Error>
        do {
            result = .success(try await use(RawConnection(channel: channel, parts: parts, count: count)))
        } catch {
            result = .failure(error)
        }
        try? await channel.close()
        return try result.get()
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Closes the connection immediately.
    func close() async throws {
        try await channel.close()
    }

    /// Ends the connection at once, without a last message to the server.
    func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    /// Stops reading until ``resume()``.
    func pause() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    /// Reads everything again.
    func resume() async throws {
        try await channel.setOption(.autoRead, value: true).get()
    }

    /// Closes the sending half.
    func finish() async throws {
        try await channel.close(mode: .output)
    }

    /// The bytes since the last call, once they contain `end` or the server has closed its half.
    func read(until end: String) async -> String {
        var text = ""
        for await part in parts {
            text += part
            if text.contains(end) { break }
        }
        return text
    }

    /// Everything that arrives until the server closes its half.
    func readToEnd() async -> String {
        await parts.reduce(into: "") { $0 += $1 }
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let part: AsyncStream<String>.Continuation
        private let count: Count

        init(_ part: AsyncStream<String>.Continuation, _ count: Count) {
            self.part = part
            self.count = count
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            count.bytes.add(buffer.readableBytes, ordering: .relaxed)
            part.yield(String(buffer: buffer))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { part.finish() }
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
