package import Logging
package import NIOCore
package import NIOHTTP1

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerLimits {
    /// What the parser of requests takes.
    package var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        // NIO refuses a head that reaches its limit; ours is the largest that is taken.
        limits.maxHeaderFieldSize = headerSize + 1
        limits.maxHeaderListSize = headerSize + 1
        limits.maxHeaderFieldCount = headerCount
        return limits
    }

    /// Keeps the client of an HTTP/1.1 connection to the limits in time; the parser is in the channel's pipeline already.
    package func watch(_ channel: any Channel, logger: Logger) throws {
        try watch(channel, ClientPresence(channel), isGuarded: false, logger: logger)
    }

    func watch(_ channel: any Channel, _ presence: ClientPresence, isGuarded: Bool, logger: Logger) throws {
        channel.limitUnsentBytes()
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let unparsed = UnparsedBytes(self)
        try pipeline.addHandler(unparsed, position: .before(decoder))
        let watch = RequestWatch(self, presence, unparsed, logger)
        try pipeline.addHandlers((isGuarded ? [RequestGuard(unparsed)] : []) + [watch], position: .after(decoder))
        try pipeline.addHandler(WriteTimeout(self, logger), position: .first)
    }
}

extension Channel {
    /// Has the system take little more than the other side has room for.
    ///
    /// It would otherwise take megabytes and ask for more only when a third of them are gone, so that a slow reader looked like
    /// one that reads nothing. Where it cannot be set, that is how it is.
    package func limitUnsentBytes() {
        try? syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 131_072)
    }
}
