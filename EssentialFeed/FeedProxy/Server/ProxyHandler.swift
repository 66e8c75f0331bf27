import DuetHTTP
import Logging
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, which come one after the other, each in a task on the connection's event loop.
///
/// An answer that is stored in memory is thus written before the next event of the connection is looked at.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = IncomingMessage<HTTPRequestHead>
    typealias OutboundOut = HTTPServerResponsePart

    private let client: any HTTPClient
    private let identity: ProxyIdentity
    private let connection: ProxyConnection
    private let logger: Logger
    private let executor: EventLoopExecutor
    /// Whether the rest of a request is awaited whose head has arrived.
    private var isReading = false

    init(_ connection: ProxyConnection, client: any HTTPClient, identity: ProxyIdentity, logger: Logger) {
        self.client = client
        self.identity = identity
        self.connection = connection
        self.logger = logger
        executor = EventLoopExecutor(connection.channel.eventLoop)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        // Whoever was told that the connection closes may send it again.
        let request = unwrapInboundIn(data)
        guard !connection.isClosing else {
            request.body?.discard()
            return
        }
        let exchange = ClientExchange(
            request: request,
            client: client,
            identity: identity,
            connection: connection,
            logger: logger
        )
        connection.begin(Task(executorPreference: executor) { await exchange.run() })
        executor.run()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case MessageEvent.ended = event { isReading = false }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Nobody waits for the answer any more.
        connection.cancel()
        context.fireChannelInactive()
    }

    /// What is not HTTP is answered once: by the exchange that it is a part of, or here when it is the beginning of one.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, context.channel.isActive else { return context.close(promise: nil) }
        connection.setBroken()
        guard !connection.isAnswering else { return }
        guard !isReading else { return context.close(promise: nil) }
        guard !connection.isClosing else { return }
        logger.debug("A request is not HTTP: \(error)")
        connection.endAnswer(isLast: true)
        let fields: HTTPHeaders = ["Connection": "close", "Content-Length": "0"]
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
    }
}
