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

    /// How many bytes that nobody reads are taken until the connection is closed.
    private let maximumDiscarded = 64 * 1024 * 1024

    private let hasBody: (Head) -> Bool
    private var current: Current?
    private var count = 0
    private var discarded = 0
    private var isPaused = false
    /// Whether reading went on, and nothing has come since.
    private var isResumed = false
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
        isResumed = false
        switch unwrapInboundIn(data) {
        case .head(let head):
            discarded = 0
            let body = hasBody(head) ? makeBody(on: context.eventLoop) : nil
            context.fireChannelRead(wrapInboundOut(IncomingMessage(head: head, body: body)))
        case .body(let piece):
            guard let current else { return discard(piece, context) }
            if case .stopProducing = current.source.yield(piece) { isPaused = true }
        case .end(let trailers):
            if let trailers { current?.trailers.arrive(HTTPFields(trailers)) }
            let ended = current.take()
            // First, so that who has read the body to its end finds the connection ready for the next request.
            context.fireUserInboundEventTriggered(MessageEvent.ended)
            ended?.source.finish()
            resume()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // It is the reader of the body who stood still, and not who sends it.
        if isPaused || isResumed, event is IdleStateHandler.IdleStateEvent {
            isResumed = false
            return
        }
        context.fireUserInboundEventTriggered(event)
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
        return IncomingBody(
            pieces: sequence.sequence,
            trailers: trailers,
            discard: { eventLoop.execute { handler.value.abandon(number) } }
        )
    }

    private func end(throwing error: any Error) {
        guard let ended = current.take() else { return }
        ended.source.finish(error)
        resume()
    }

    private func resume() {
        if isPaused { isResumed = true }
        isPaused = false
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }

    /// Who sends a body to the end before reading its answer is let do so, within limits.
    private func discard(_ piece: ByteBuffer, _ context: ChannelHandlerContext) {
        discarded += piece.readableBytes
        if discarded > maximumDiscarded { context.close(promise: nil) }
    }

    private func abandon(_ number: Int) {
        guard current?.number == number else { return }
        end(throwing: CancellationError())
        context?.fireUserInboundEventTriggered(MessageEvent.abandoned)
    }
}
