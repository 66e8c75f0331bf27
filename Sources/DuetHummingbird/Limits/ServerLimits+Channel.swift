package import Logging
package import NIOCore
import NIOHTTP1

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerLimits {
    /// The limits of the request parser.
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
        try watch(channel, ClientPresence(channel), isGuarded: false, logger: logger)
    }

    func watch(_ channel: any Channel, _ presence: ClientPresence, isGuarded: Bool, logger: Logger) throws {
        channel.limitUnsentBytes()
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let unparsed = UnparsedBytes(self)
        try pipeline.addHandler(unparsed, position: .before(decoder))
        let watch = RequestWatch(self, presence, unparsed, at: channel.eventLoop.now, logger)
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
