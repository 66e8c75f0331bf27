import NIOCore
import NIOHTTP1

/// Ends a connection whose answer has a status below 100.
///
/// AsyncHTTPClient takes it for an interim answer, and ends the process when a body or the end follows.
final class HTTP1StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var isRefused = false

    /// Puts one behind the parser of a connection, before what takes the answers.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(HTTP1StatusCheck(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What was read with it is still to come.
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isRefused = true
            context.fireErrorCaught(InvalidStatus(status: "\(head.status.code)"))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
