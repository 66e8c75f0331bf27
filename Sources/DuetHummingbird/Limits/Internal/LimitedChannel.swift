import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ServiceContextModule

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The connection of a server that keeps its clients to limits and watches whether they are still there.
struct LimitedChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let base: HTTP1Channel.Value
        let presence: ClientPresence

        var channel: any Channel { base.channel }
    }

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
                    // NIO refuses a head that reaches its limit; ours is the largest that is taken.
                    maxHeaderFieldSize: limits.headerSize + 1,
                    maxHeaderListSize: limits.headerSize + 1,
                    maxHeaderFieldCount: limits.headerCount
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let presence = ClientPresence(channel)
        // The system would otherwise take megabytes and ask for more only when a third of them are gone, so that a slow
        // reader looked like one that reads nothing. Where it cannot be set, that is how it is.
        try? channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 131_072)
        return base.setup(channel: channel, logger: logger).flatMapThrowing { [limits] value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandlers(
                [RequestGuard(), RequestWatch(limits, presence, logger)],
                position: .after(decoder)
            )
            try pipeline.addHandler(WriteTimeout(limits, logger), position: .first)
            return Value(base: value, presence: presence)
        }
    }

    func handle(value: Value, logger: Logger) async {
        var context = ServiceContext.current ?? .topLevel
        context.clientPresence = value.presence
        await ServiceContext.withValue(context) { await base.handle(value: value.base, logger: logger) }
    }
}
