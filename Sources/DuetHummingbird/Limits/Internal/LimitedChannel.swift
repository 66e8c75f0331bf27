import HummingbirdCore
import Logging
import NIOCore
import ServiceContextModule

/// The connection of a server that keeps its clients to limits and watches whether they are still there.
struct LimitedChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let base: HTTP1Channel.Value
        let presence: ClientPresence

        var channel: any Channel { base.channel }
    }

    private let base: HTTP1Channel

    init(_ limits: ServerLimits, _ responder: @escaping HTTPChannelHandler.Responder) {
        let bodyTimeout = TimeAmount(limits.bodyTimeout)
        base = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [BodyTimeout(bodyTimeout)],
                idleTimeout: TimeAmount(limits.idleTimeout),
                httpDecoderConfiguration: .init(
                    // NIO refuses a head that reaches its limit; ours is the largest that is taken.
                    maxHeaderFieldSize: limits.headerSize + 1,
                    maxHeaderListSize: limits.headerSize + 1,
                    maxHeaderFieldCount: limits.headerCount
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let presence = ClientPresence()
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try channel.pipeline.syncOperations.addHandler(ClientPresence.Watch(presence), position: .first)
            return Value(base: value, presence: presence)
        }
    }

    func handle(value: Value, logger: Logger) async {
        var context = ServiceContext.current ?? .topLevel
        context.clientPresence = value.presence
        await ServiceContext.withValue(context) { await base.handle(value: value.base, logger: logger) }
    }
}
