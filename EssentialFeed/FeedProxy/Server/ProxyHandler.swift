import DuetHTTP
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, which come one after the other, each in a task on the connection's event loop.
///
/// An answer that is stored in memory is thus written before the next event of the connection is looked at.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = IncomingMessage<HTTPRequestHead>
    typealias OutboundOut = HTTPServerResponsePart

    private let client: any HTTPClient
    private let pseudonym: String
    private let connection: ProxyConnection
    private let executor: EventLoopExecutor

    init(_ connection: ProxyConnection, client: any HTTPClient, pseudonym: String) {
        self.client = client
        self.pseudonym = pseudonym
        self.connection = connection
        executor = EventLoopExecutor(connection.channel.eventLoop)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let exchange = ClientExchange(
            request: unwrapInboundIn(data),
            client: client,
            pseudonym: pseudonym,
            channel: connection.channel
        )
        connection.begin(Task(executorPreference: executor) { await exchange.run() })
        executor.run()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Nobody waits for the answer any more.
        connection.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
