import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import ServiceContextModule
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The connection of a server that limits its clients and watches whether they are still connected.
struct LimitedChannel: ServerChildChannel {
    private let limits: ServerLimits
    private let base: HTTP1Channel
    private let bodyMemory: BodyMemory

    init(_ limits: ServerLimits, _ responder: @escaping HTTPChannelHandler.Responder) {
        self.limits = limits
        bodyMemory = BodyMemory(limit: limits.bodyMemory)
        base = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                // Hummingbird's own timer mistakes a client that is still reading its response for an idle one.
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
        let presence = ClientPresence(channel, bodyMemory)
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
        await ServiceContext.withValue(context) {
            await connection.presence.respond { await base.handle(value: value, logger: logger) }
        }
    }
}

/// A connection from when it is accepted until it is handled.
///
/// A canceled server drops the connections that are waiting to be handled. NIO traps when one is dropped without having
/// been closed: https://github.com/apple/swift-nio/issues/2637
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any Channel
    let presence: ClientPresence
    private let waiting: Mutex<HTTP1Channel.Value?>

    init(_ connection: HTTP1Channel.Value, _ presence: ClientPresence) {
        channel = connection.channel
        self.presence = presence
        waiting = Mutex(connection)
    }

    deinit {
        guard let dropped = take() else { return }
        Task { try? await dropped.executeThenClose { _, _ in } }
    }

    /// Returns the connection to its handler, once.
    func take() -> HTTP1Channel.Value? {
        waiting.withLock { $0.take() }
    }
}

extension ServerLimits {
    var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        // NIO refuses a head that reaches its limit. Ours is the largest that is accepted.
        limits.maxHeaderFieldSize = headerSize + 1
        limits.maxHeaderListSize = headerSize + 1
        limits.maxHeaderFieldCount = headerCount
        return limits
    }

    /// Applies the limits to an HTTP/1.1 connection whose pipeline already contains the parser.
    package func watch(_ channel: any Channel, logger: Logger) throws {
        try watch(channel, ClientPresence(channel, BodyMemory(limit: bodyMemory)), isGuarded: false, logger: logger)
    }

    func watch(_ channel: any Channel, _ presence: ClientPresence, isGuarded: Bool, logger: Logger) throws {
        channel.limitUnsentBytes()
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let unparsed = UnparsedBytes(self)
        try pipeline.addHandler(unparsed, position: .before(decoder))
        let watch = RequestWatch(
            self,
            at: channel.eventLoop.now,
            presence: presence,
            unparsed: unparsed,
            logger: logger
        )
        try pipeline.addHandlers((isGuarded ? [RequestGuard()] : []) + [watch], position: .after(decoder))
        try pipeline.addHandler(WriteTimeout(self, logger), position: .first)
    }
}

extension Channel {
    /// Lets the system accept little more than the other side has room for.
    ///
    /// It would otherwise accept megabytes, and more only after a third of them is gone, so that a slow reader would
    /// look like one that reads nothing. This is best effort: the option is ignored where it is not supported.
    fileprivate func limitUnsentBytes() {
        try? syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 131_072)
    }
}
