import NIOCore
import NIOPosix

/// A TCP connection to a server on this machine, for what no HTTP client would send.
struct RawConnection: Sendable {
    let channel: any Channel
    private let parts: AsyncStream<String>

    /// Opens a connection for as long as `use` takes.
    static func open<Value>(_ port: Int, use: (RawConnection) async throws -> Value) async throws -> Value {
        let (parts, part) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(part)) }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let result: Result<Value, any Error>
        do {
            result = .success(try await use(RawConnection(channel: channel, parts: parts)))
        } catch {
            result = .failure(error)
        }
        try? await channel.close()
        return try result.get()
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Closes the connection, without waiting for anything.
    func close() async throws {
        try await channel.close()
    }

    /// Says that nothing more will be sent.
    func finish() async throws {
        try await channel.close(mode: .output)
    }

    /// What has come from the server since the last time, once it contains `end`, or all there is when the server has
    /// closed.
    func read(until end: String) async -> String {
        var text = ""
        for await part in parts {
            text += part
            if text.contains(end) { break }
        }
        return text
    }

    /// What came from the server until it closed the connection.
    func readToEnd() async -> String {
        await parts.reduce(into: "") { $0 += $1 }
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
