import NIOCore
import NIOHPACK
import NIOHTTP2

/// Ends a stream of HTTP/2 whose answer has a status that is not three digits from 100 to 999, or that HTTP/2 does not have.
///
/// On such ones the libraries behind it end the process. There is no 101 in HTTP/2 (RFC 9113, section 8.6), and after an interim
/// answer comes another one (section 8.1), for which a client would wait otherwise.
final class HTTP2StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private var isRefused = false

    /// Puts one before all else that reads a stream.
    static func add(to stream: any Channel) -> EventLoopFuture<Void> {
        stream.eventLoop.makeCompletedFuture {
            try stream.pipeline.syncOperations.addHandler(HTTP2StatusCheck(), position: .first)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .headers(let frame) = unwrapInboundIn(data), let status = frame.headers.first(name: ":status"),
            !Self.isStatus(status) || frame.endStream && status.hasPrefix("1")
        {
            isRefused = true
            context.fireErrorCaught(InvalidStatus(status: status))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    private static func isStatus(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.utf8.count == 3 && text.utf8.allSatisfy(digits.contains) && !text.hasPrefix("0") && text != "101"
    }
}
