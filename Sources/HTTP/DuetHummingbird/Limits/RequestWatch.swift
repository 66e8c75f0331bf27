import DuetHTTP
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// Closes connections that are idle or whose requests do not arrive in time, and reports clients that disconnect.
///
/// After the last response it reads on for a while: the system would otherwise discard what is on its way to a client
/// that is still sending (RFC 9112, section 9.6). A client that was idle when the server shut down is not waited for.
final class RequestWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let presence: ClientPresence
    private let unparsed: UnparsedBytes
    private let logger: Logger
    private let refusals: RefusalFormat?
    private var state: ConnectionState
    private var timers: [ConnectionState.Timer: Scheduled<Void>] = [:]
    /// Whether the sending half is closed.
    private var isSent = false

    init(
        _ limits: ServerLimits,
        at now: NIODeadline,
        presence: ClientPresence,
        unparsed: UnparsedBytes,
        logger: Logger
    ) {
        self.presence = presence
        self.unparsed = unparsed
        self.logger = logger
        refusals = limits.refusals
        state = ConnectionState(limits, at: now)
    }

    // MARK: Requests

    func channelActive(context: ChannelHandlerContext) {
        start(.idle, context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unparsed.restart()
        guard state.receive(unwrapInboundIn(data), at: context.eventLoop.now) else { return }
        if !state.isReading { timers.removeValue(forKey: .body)?.cancel() }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests arrive in one piece and need no timer.
        if state.isReading, timers[.body] == nil { start(.body, context) }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError {
            state.receive(error)
            unparsed.discard()
        }
        context.fireErrorCaught(error)
    }

    private func start(_ timer: ConnectionState.Timer, _ context: ChannelHandlerContext) {
        check(timer, at: state.deadline(of: timer, from: context.eventLoop.now), context)
    }

    private func check(_ timer: ConnectionState.Timer, at time: NIODeadline, _ context: ChannelHandlerContext) {
        timers[timer] = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) {
            let hasPendingBytes = context.channel.hasPendingBytes
            switch self.state.fired(timer, at: context.eventLoop.now, hasPendingBytes: hasPendingBytes) {
            case .ignore: break
            case .wait(let time): self.check(timer, at: time, context)
            case .expire: self.expire(context)
            }
        }
    }

    /// Closes the connection, after a response with 408 if there is an incomplete request to respond to.
    private func expire(_ context: ChannelHandlerContext) {
        if state.isReading { logger.info("A request did not arrive in time") }
        guard state.canRefuse else { return context.close(promise: nil) }
        stop()
        var response = ServedResponse(.requestTimeout, "The request did not arrive in time.")
        response.format(as: refusals)
        let body = response.body.map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.status.code),
            headers: [
                "Connection": "close", "Content-Type": response.headers[.contentType] ?? "",
                "Content-Length": "\(body.readableBytes)", "Cache-Control": "no-store",
            ]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let (isOpen, head) = state.send(unwrapOutboundIn(data), at: context.eventLoop.now)
        guard isOpen else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(head.map { wrapOutboundOut(.head($0)) } ?? data, promise: promise)
        // The responses are flushed before the connection closes.
        if state.isDone {
            context.eventLoop.assumeIsolated().execute { context.channel.close(mode: .output, promise: nil) }
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ClientPresence.Invitation else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if state.canRefuse {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        promise?.succeed()
    }

    // MARK: The end

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard state.drain(closing: mode, hasUnreceivedBytes: context.channel.hasUnreceivedBytes) else {
            // The other half is closed already.
            return context.close(mode: state.isDraining && mode == .input ? .all : mode, promise: promise)
        }
        stopTimers()
        unparsed.discard()
        let sent = context.eventLoop.makePromise(of: Void.self)
        (mode == .all ? context.channel.closeFuture : sent.futureResult).cascade(to: promise)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.isSent = true
            if context.channel.isActive { self.start(.drain, context) }
        }
        context.close(mode: .output, promise: sent)
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            state.quiesce()
            // Other handlers would close a connection that closes once its client has everything.
            if state.isDraining { return }
        }
        if event as? ChannelEvent == .inputClosed {
            if isSent { return context.close(promise: nil) }
            // A client that closes its half and one that disconnects look the same. The reader of a request notices
            // itself that the rest is missing.
            if !state.isReading { presence.leave() }
        }
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
        state.close()
        stopTimers()
    }

    private func stopTimers() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
    }
}
