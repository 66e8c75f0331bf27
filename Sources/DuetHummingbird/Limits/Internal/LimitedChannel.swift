import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ServiceContextModule

/// The connection of a server that keeps its clients to limits and watches whether they are still there.
struct LimitedChannel: ServerChildChannel {
    private let limits: ServerLimits
    private let base: HTTP1Channel

    init(_ limits: ServerLimits, _ responder: @escaping HTTPChannelHandler.Responder) {
        self.limits = limits
        base = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                // Hummingbird's own idle timer takes a client that is still reading its answer for idle.
                idleTimeout: nil,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.decoderLimits.maxHeaderFieldSize,
                    maxHeaderListSize: limits.decoderLimits.maxHeaderListSize,
                    maxHeaderFieldCount: limits.decoderLimits.maxHeaderFieldCount
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        let presence = ClientPresence(channel)
        return base.setup(channel: channel, logger: logger).flatMapThrowing { [limits] value in
            let connection = AcceptedConnection(value, presence)
            try limits.watch(channel, presence, isGuarded: true, logger: logger)
            return connection
        }
    }

    func handle(value connection: AcceptedConnection, logger: Logger) async {
        guard let value = connection.take() else { return }
        var context = ServiceContext.current ?? .topLevel
        context.clientPresence = connection.presence
        await ServiceContext.withValue(context) { await base.handle(value: value, logger: logger) }
    }
}
