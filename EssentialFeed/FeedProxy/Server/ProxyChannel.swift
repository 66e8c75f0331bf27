import DuetHTTP
import DuetHummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A client's connection, whose requests are answered one after the other.
struct ProxyChannel: ServerChildChannel {
    typealias Value = NIOAsyncChannel<IncomingMessage<HTTPRequestHead>, HTTPServerResponsePart>

    let client: any HTTPClient
    let limits: ServerLimits
    let pseudonym: String

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // A client that closes its end has gone: it could not be told from one that only sends nothing more.
            try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
            var framing = HTTPResponseEncoder.Configuration()
            framing.automaticallySetFramingHeaders = false
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true,
                withErrorHandling: true,
                withEncoderConfiguration: framing,
                withDecoderLimitConfiguration: limits.decoderLimits
            )
            try limits.watch(channel, logger: logger)
            try pipeline.addHandler(MessageHandler<HTTPRequestHead> { $0.hasBody })
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    func handle(value connection: Value, logger: Logger) async {
        do {
            try await connection.executeThenClose { inbound, outbound in
                var requests = inbound.makeAsyncIterator()
                var request = try await requests.next()
                while let current = request {
                    let exchange = ClientExchange(
                        request: current,
                        client: client,
                        pseudonym: pseudonym,
                        outbound: outbound,
                        channel: connection.channel
                    )
                    request = try await withThrowingTaskGroup { group in
                        group.addTask { await exchange.run() }
                        // The next request, or nil when the client has gone: then nobody waits for this answer.
                        let next: IncomingMessage<HTTPRequestHead>?
                        do {
                            next = try await requests.next()
                        } catch {
                            group.cancelAll()
                            throw error
                        }
                        if next == nil { group.cancelAll() }
                        return next
                    }
                }
            }
        } catch {
            logger.debug("A client's connection ended: \(error)")
        }
    }
}

extension HTTPRequestHead {
    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers.first(name: "content-length").map { $0 != "0" } ?? false
    }
}
