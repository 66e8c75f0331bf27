import NIOCore

/// Closes a connection on which more comes than the answer to a request (RFC 9112, section 6.3).
///
/// What follows would be taken for the beginning of the next answer, which may be to another client. Only what comes after the next
/// request was sent cannot be told from its answer.
///
/// It stands before the decoder, which tells that an answer has ended, and not whether it had bytes left. So it hands on a part at
/// a time, of which an answer can only have ended with the last byte, or has bytes left.
final class SurplusHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let exchanges: ExchangeHandler
    /// Whether nothing has come of the line of a head that comes next.
    private var isLineEmpty = false

    init(before exchanges: ExchangeHandler) {
        self.exchanges = exchanges
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        while bytes.readableBytes > 0 {
            guard let exchange = exchanges.awaited else { return exchanges.close() }
            let (count, mayEnd) = nextPart(of: bytes.readableBytesView, in: exchange)
            guard let part = bytes.readSlice(length: count) else { return }
            if exchange.hasHead { exchanges.count(count) }
            context.fireChannelRead(wrapInboundOut(part))
            guard mayEnd || exchanges.awaited != nil else { return exchanges.close() }
        }
    }

    /// How many bytes are handed on next, and whether an answer may end with the last of them.
    private func nextPart(of bytes: ByteBufferView, in exchange: Exchange) -> (count: Int, mayEnd: Bool) {
        guard exchange.hasHead else {
            let end = endOfHead(in: bytes)
            return (end ?? bytes.count, end != nil)
        }
        if let left = exchange.bytesLeft { return (min(bytes.count, max(Int(left), 1)), true) }
        // Chunks end with a line.
        guard bytes.last == UInt8(ascii: "\n") else { return (bytes.count, false) }
        return bytes.count > 1 ? (bytes.count - 1, false) : (1, true)
    }

    /// How many bytes there are up to the empty line that ends a head, with it; nil when it comes later.
    private func endOfHead(in bytes: ByteBufferView) -> Int? {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n") where isLineEmpty:
                isLineEmpty = false
                return index + 1
            case UInt8(ascii: "\n"): isLineEmpty = true
            case UInt8(ascii: "\r"): break
            default: isLineEmpty = false
            }
        }
        return nil
    }
}
