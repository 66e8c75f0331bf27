import NIOCore
import NIOHTTP1

/// Refuses or mends what the parser lets pass, before the head of a request becomes one that no longer shows it.
final class RequestGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let unparsed: UnparsedBytes
    private var isBroken = false

    init(_ unparsed: UnparsedBytes) {
        self.unparsed = unparsed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return unparsed.begin() }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard head.hasProperHost else {
            isBroken = true
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        guard head.mend() else { return context.fireChannelRead(data) }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Nobody else reads what was refused, and whoever still sends it could not be told why.
        if isBroken { context.read() }
    }
}

extension HTTPRequestHead {
    /// Whether it names one host, as it must (RFC 9112, section 3.2).
    fileprivate var hasProperHost: Bool {
        let hosts = headers["Host"].count
        return hosts == 1 || (hosts == 0 && version == .http1_0)
    }

    /// Makes it say what its sender means; false when it does already.
    fileprivate mutating func mend() -> Bool {
        var isMended = false
        // The host within a target wins over the field (RFC 9112, section 3.2.2).
        if uri.utf8.first != UInt8(ascii: "/"), let start = uri.firstRange(of: "://")?.upperBound {
            headers.replaceOrAdd(name: "Host", value: String(uri[start...].prefix { !"/?#".contains($0) }))
            isMended = true
        }
        // An expectation of HTTP/1.0 is none (RFC 9110, section 10.1.1).
        if version == .http1_0, headers.contains(name: "Expect") {
            headers.remove(name: "Expect")
            isMended = true
        }
        return isMended
    }
}
