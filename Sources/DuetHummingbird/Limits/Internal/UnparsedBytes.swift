import NIOCore

/// Closes a connection on which too much comes that the parser makes nothing of, as chunks without end in the extensions of one.
///
/// A parser that takes what follows for another protocol keeps it all.
final class UnparsedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: Int
    private var count = 0

    init(_ limits: ServerLimits) {
        // A head, and what was read together with it; TLS hands on more at once than is read from a socket.
        limit = limits.headerSize + 131_072
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Before these are looked at, of which there may be any number, and nothing wrong with them.
        guard count <= limit else { return context.close(promise: nil) }
        count += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    /// Takes note that the parser has made something of what came.
    func begin() {
        count = 0
    }
}
