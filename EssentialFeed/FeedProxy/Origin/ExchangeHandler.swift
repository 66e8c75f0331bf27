import NIOCore
import NIOHTTP1

/// Writes a request on a connection to the origin and hands its answer over; one exchange at a time.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = IncomingMessage<HTTPResponseHead>
    typealias OutboundOut = HTTPClientRequestPart

    /// Is told that the connection is free for another exchange.
    var onIdle: (() -> Void)?

    private let keepAlive: TimeAmount
    private var exchange: Exchange?
    private var idleEnd: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// What broke the connection before it had a request, as TLS does that comes to nothing.
    private var failure: (any Error)?
    private var isNew = true
    /// How many parts of bodies nobody has taken yet: the system, or TLS that is not there yet.
    private var unwritten = 0
    /// Whether the connection is being closed, which takes TLS until the other side agrees.
    private var isClosing = false

    init(keepAlive: TimeAmount) {
        self.keepAlive = keepAlive
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // It holds the connection that holds this.
        onIdle = nil
    }

    /// The request whose answer is awaited or under way.
    var awaited: Exchange? { exchange }

    /// Takes note that bytes of the body have come whose number its head tells.
    func count(_ bytes: Int) {
        if let left = exchange?.bytesLeft { exchange?.bytesLeft = left - Int64(bytes) }
    }

    /// Writes a head, and the end too when no body follows; has one that follows sent otherwise.
    ///
    /// - Throws: ``OriginError/notSent`` when the connection is closed; what broke it before it had any request.
    func begin(
        _ id: Exchange.ID,
        _ head: HTTPRequestHead,
        heads: Exchange.Heads.Continuation,
        upload: (@Sendable () async -> Void)?
    ) throws {
        if let failure { throw failure }
        guard let context, context.channel.isActive, !isClosing, exchange == nil else { throw OriginError.notSent }
        isNew = false
        idleEnd?.cancel()
        exchange = Exchange(id: id, heads: heads, isSent: upload == nil)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if upload == nil { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        context.flush()
        if let upload { exchange?.upload = Task { await upload() } }
    }

    /// Closes the connection, on which nothing begins any more.
    func close() {
        isClosing = true
        context?.close(promise: nil)
    }

    /// Closes the connection when an exchange is not wanted any more, unless it has ended, and another one has the connection.
    func abandon(_ id: Exchange.ID) {
        if exchange?.id === id { close() }
    }

    /// Writes parts of a body; with the end among them the request is sent, whose answer may already be on its way.
    func send(_ parts: [HTTPClientRequestPart], promise: EventLoopPromise<Void>) {
        guard let context, exchange != nil else { return promise.fail(OriginError.closed) }
        for part in parts.dropLast() { context.write(wrapOutboundOut(part), promise: nil) }
        guard let last = parts.last else { return promise.succeed() }
        if case .end = last { exchange?.isSent = true }
        unwritten += 1
        promise.futureResult.assumeIsolated().whenComplete { _ in self.unwritten -= 1 }
        context.writeAndFlush(wrapOutboundOut(last), promise: promise)
        finishExchange()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = unwrapInboundIn(data)
        guard exchange != nil else { return close() }
        guard !message.head.headers.hasTransferCompression else { return fail(OriginError.unknownTransferCoding) }
        let status = Int(message.head.status.code)
        if message.body == nil { exchange?.interimAnswers += 1 }
        let isEndless = (exchange?.interimAnswers ?? 0) > Exchange.maximumInterimAnswers
        guard (100...999).contains(status), status != 101, !isEndless, case .enqueued? = exchange?.heads.yield(message)
        else {
            return fail(OriginError.unexpectedAnswer(status: status))
        }
        guard message.body != nil else { return }
        exchange?.hasHead = true
        exchange?.bytesLeft = message.head.headers.announcedLength
        // HTTP/1.0 has no transfer codings: who knows where such an answer ends (RFC 9112, section 6.1).
        let isFaulty = message.head.version == .http1_0 && message.head.headers.contains(name: "Transfer-Encoding")
        exchange?.keepsConnection = message.head.isKeepAlive && !isFaulty
        exchange?.heads.finish()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case MessageEvent.ended:
            exchange?.isAnswered = true
            finishExchange()
        case MessageEvent.abandoned:
            close()
        case is IdleStateHandler.IdleStateEvent:
            // A connection that has no request yet does not stand still: it waits; so does one for the rest of a request.
            guard let exchange, exchange.isSent || exchange.hasHead || unwritten > 0 else { return }
            context.pipeline.fireErrorCaught(OriginError.standstill)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isNew { failure = failure ?? error }
        fail(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(OriginError.closed)
        idleEnd?.cancel()
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error) {
        exchange?.heads.finish(throwing: error)
        exchange?.upload?.cancel()
        exchange = nil
        close()
    }

    private func finishExchange() {
        guard let ended = exchange, ended.isAnswered, let context else { return }
        exchange = nil
        // An origin that has answered a request it has not had is not to be sent the rest of it.
        guard ended.isSent, ended.keepsConnection, let onIdle else {
            ended.upload?.cancel()
            return close()
        }
        idleEnd = context.eventLoop.assumeIsolated().scheduleTask(in: keepAlive) { [weak self] in
            self?.close()
        }
        onIdle()
    }
}
