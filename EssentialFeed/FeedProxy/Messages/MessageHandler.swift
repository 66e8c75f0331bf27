import HTTPTypes
import NIOCore
import NIOHTTP1

/// Makes a message of the parts that arrive, and stops reading the connection while the reader of its body is behind.
final class MessageHandler<Head: Equatable & Sendable>: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = HTTPPart<Head, ByteBuffer>
    typealias InboundOut = IncomingMessage<Head>
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private struct Current {
        let source: IncomingBody.Pieces.Source
        let trailers: IncomingBody.Trailers
        let number: Int
    }

    private let hasBody: (Head) -> Bool
    private var current: Current?
    private var count = 0
    private var isPaused = false
    private var isReadHeld = false
    private var context: ChannelHandlerContext?

    /// - Parameter hasBody: Whether a body may follow a head.
    init(hasBody: @escaping (Head) -> Bool) {
        self.hasBody = hasBody
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(throwing: ChannelError.ioOnClosedChannel)
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let body = hasBody(head) ? makeBody(on: context.eventLoop) : nil
            context.fireChannelRead(wrapInboundOut(IncomingMessage(head: head, body: body)))
        case .body(let piece):
            if case .stopProducing? = current?.source.yield(piece) { isPaused = true }
        case .end(let trailers):
            if let trailers { current?.trailers.arrive(HTTPFields(trailers)) }
            end()
            context.fireUserInboundEventTriggered(MessageEvent.ended)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(throwing: error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(throwing: ChannelError.eof)
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadHeld = true } else { context.read() }
    }

    private func makeBody(on eventLoop: any EventLoop) -> IncomingBody {
        count += 1
        let number = count
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        let sequence = IncomingBody.Pieces.makeSequence(
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8),
            finishOnDeinit: true,
            delegate: IncomingBody.Demand(
                onMore: { eventLoop.execute { handler.value.resume() } },
                onEnd: { eventLoop.execute { handler.value.abandon(number) } }
            )
        )
        let trailers = IncomingBody.Trailers()
        current = Current(source: sequence.source, trailers: trailers, number: number)
        return IncomingBody(pieces: sequence.sequence, trailers: trailers)
    }

    private func end(throwing error: (any Error)? = nil) {
        guard let ended = current.take() else { return }
        if let error { ended.source.finish(error) } else { ended.source.finish() }
        resume()
    }

    private func resume() {
        isPaused = false
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }

    private func abandon(_ number: Int) {
        guard current?.number == number else { return }
        end()
        context?.fireUserInboundEventTriggered(MessageEvent.abandoned)
    }
}
