import DuetHTTP
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// Ends what does not arrive in time, closes a connection on which nothing is asked, and notices a client that goes.
final class RequestWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let idleTimeout: TimeAmount
    private let bodyTimeout: TimeAmount
    private let presence: ClientPresence
    private let unparsed: UnparsedBytes
    private let logger: Logger

    /// Whether the rest of a request is awaited whose head has arrived.
    private var isReading = false
    /// How many requests have arrived that are not answered yet.
    private var unanswered = 0
    /// Whether the answer to the first of them has begun.
    private var isAnswering = false
    /// Whether nothing more will be answered.
    private var hasAnsweredLast = false
    private var isHeadTooLarge = false
    /// Whether the server ends, which closes the connection when nothing is to be answered any more.
    private var isEnding = false
    /// Whether the connection is closed as soon as its client has what was written, or some time has passed.
    private var isClosing = false
    private var hasAnswered = false
    private var closeTimer: Scheduled<Void>?
    private var isOver = false
    private var lastActive = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?
    private var bodyTimer: Scheduled<Void>?

    init(_ limits: ServerLimits, _ presence: ClientPresence, _ unparsed: UnparsedBytes, _ logger: Logger) {
        idleTimeout = TimeAmount(limits.idleTimeout)
        bodyTimeout = TimeAmount(limits.bodyTimeout)
        self.presence = presence
        self.unparsed = unparsed
        self.logger = logger
    }

    func channelActive(context: ChannelHandlerContext) {
        lastActive = .now()
        checkIdleness(at: lastActive + idleTimeout, context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unparsed.begin()
        guard !isOver, !isClosing else { return }
        lastActive = .now()
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            unanswered += 1
        case .body: break
        case .end:
            isReading = false
            bodyTimer?.cancel()
            bodyTimer = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests arrive in one piece and need no timer.
        if isReading, bodyTimer == nil, !isOver { checkBody(context) }
        context.fireChannelReadComplete()
        if isClosing { context.read() }
    }

    private func checkBody(_ context: ChannelHandlerContext) {
        bodyTimer = context.eventLoop.assumeIsolated().scheduleTask(in: bodyTimeout) {
            if self.isHeldUp { self.checkBody(context) } else { self.giveUp(context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What comes after that is dropped by the parser, so that a client that still sends can read why it was refused.
        unparsed.begin()
        if case HTTPParserError.headerOverflow = error { isHeadTooLarge = true }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where isHeadTooLarge && unanswered == 0:
            // Hummingbird answers each fault of a head with 400.
            head.status = .requestHeaderFieldsTooLarge
            isAnswering = true
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head(var head) where head.status.code < 200:
            // Who asks NIO for a quiet end has it say so of each head, and clients take nothing after that one.
            head.headers.remove(name: "Connection")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head: isAnswering = true
        case .body: break
        case .end:
            isAnswering = false
            hasAnswered = true
            unanswered -= 1
            lastActive = .now()
        }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { hasAnsweredLast = true }
        // A quiet end waits for what is to be answered, and not until it is there; whoever closes once more does not want to wait.
        guard isEnding, !isClosing, mode == .all, unanswered <= 0, mayBeAnswering(context.channel) else {
            return context.close(mode: isClosing && mode == .input ? .all : mode, promise: promise)
        }
        isClosing = true
        hasAnsweredLast = true
        context.channel.closeFuture.cascade(to: promise)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.linger(context) }
        context.close(mode: .output, promise: sent)
    }

    /// Reads on for a while: what comes and is not read would have the system drop what is still on its way to the client
    /// (RFC 9112, section 9.6).
    private func linger(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        closeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(2)) { context.close(promise: nil) }
        context.read()
    }

    /// Whether something that was written may be on its way to the client.
    private func mayBeAnswering(_ channel: any Channel) -> Bool {
        channel.hasPendingBytes || hasAnswered && .now() < lastActive + .seconds(10)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ClientPresence.Invitation else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if isReading, canAnswer {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        promise?.succeed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that closes its connection, and one that only says that it sends nothing more, look the same. Where
        // the rest of a request is missing, whoever reads it finds that out.
        if event as? ChannelEvent == .inputClosed, !isReading { presence.leave() }
        if event is ChannelShouldQuiesceEvent { isEnding = true }
        if event as? ChannelEvent == .inputClosed, isClosing { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.leave()
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
    }

    private func stop() {
        isOver = true
        idleTimer?.cancel()
        bodyTimer?.cancel()
        closeTimer?.cancel()
    }

    /// Whether the rest of a request is not read because one before it is still being answered.
    private var isHeldUp: Bool { isReading && unanswered > 1 && !hasAnsweredLast }

    /// Whether the connection waits for nothing of its client but that it reads.
    private func isBusy(_ channel: any Channel) -> Bool {
        if isReading { return isHeldUp }
        return unanswered > 0 && !hasAnsweredLast || channel.hasPendingBytes
    }

    /// Whether what is written next would be the answer to the request that is being read.
    private var canAnswer: Bool { unanswered == 1 && !isAnswering && !isOver }

    private func checkIdleness(at time: NIODeadline, _ context: ChannelHandlerContext) {
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) {
            let now = NIODeadline.now()
            if self.isBusy(context.channel) {
                self.checkIdleness(at: now + self.idleTimeout, context)
            } else if now < self.lastActive + self.idleTimeout {
                self.checkIdleness(at: self.lastActive + self.idleTimeout, context)
            } else {
                self.giveUp(context)
            }
        }
    }

    private func giveUp(_ context: ChannelHandlerContext) {
        guard !isOver else { return }
        guard isReading else { return context.close(promise: nil) }
        logger.info("A request did not arrive in time")
        guard canAnswer else { return context.close(promise: nil) }
        stop()
        let answer = Refusal(.requestTimeout, "The request did not arrive in time.").answer
        let body = answer.body.map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .requestTimeout,
            headers: [
                "Connection": "close", "Content-Type": answer.headers[.contentType] ?? "",
                "Content-Length": "\(body.readableBytes)",
            ]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
