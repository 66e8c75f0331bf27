import DuetHTTP
import DuetHummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A client's connection, whose requests are answered one after the other.
struct ProxyChannel: ServerChildChannel {
    let client: any HTTPClient
    let limits: ServerLimits
    let identity: ProxyIdentity

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ProxyConnection> {
        channel.eventLoop.makeCompletedFuture {
            // A client that closes its end has gone: it could not be told from one that only sends nothing more.
            try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
            var framing = HTTPResponseEncoder.Configuration()
            framing.automaticallySetFramingHeaders = false
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true,
                // What is not HTTP would be answered beside the answer that is on its way.
                withErrorHandling: false,
                // HTTPTypes has checked them.
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: framing,
                withDecoderLimitConfiguration: limits.decoderLimits
            )
            try limits.watch(channel, logger: logger)
            try pipeline.addHandler(MessageHandler<HTTPRequestHead> { $0.hasBody })
            let connection = ProxyConnection(channel)
            try pipeline.addHandler(ProxyHandler(connection, client: client, identity: identity, logger: logger))
            return connection
        }
    }

    func handle(value connection: ProxyConnection, logger _: Logger) async {
        await connection.end()
    }
}

extension HTTPRequestHead {
    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers.first(name: "content-length").map { $0 != "0" } ?? false
    }
}
