import NIOCore

/// Limits the bytes that a client sends and that never become a part of a request.
///
/// The parser keeps everything that it mistakes for another protocol, and skips the extensions of a chunk however long
/// they are. After the last response everything else is discarded.
final class UnparsedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let parseLimit: Int
    private let discardLimit: Int
    private var count = 0
    private var isDiscarding = false

    init(_ limits: ServerLimits) {
        // A head, and what was read together with it. TLS delivers more at once than is read from a socket.
        parseLimit = limits.headerSize + 131_072
        discardLimit = limits.drainSize
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let size = unwrapInboundIn(data).readableBytes
        guard !isDiscarding else {
            count += size
            if count > discardLimit { context.close(promise: nil) }
            return
        }
        // The bytes of this read are not counted yet: there may be any number of them, all valid.
        guard count <= parseLimit else { return context.close(promise: nil) }
        count += size
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The handlers behind this one receive nothing any more and do not ask for more.
        if isDiscarding { context.read() }
    }

    /// Takes note that the parser has produced a part of a request.
    func restart() {
        if !isDiscarding { count = 0 }
    }

    func discard() {
        guard !isDiscarding else { return }
        isDiscarding = true
        count = 0
    }
}
