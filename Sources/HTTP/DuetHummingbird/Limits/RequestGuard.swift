import DuetContext
import NIOCore
import NIOHTTP1

/// Refuses or corrects heads that the parser accepts, before they are converted to a form that hides the fault.
final class RequestGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard head.hasValidHost, head.hasSafeText else {
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        guard head.correct() else { return context.fireChannelRead(data) }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

extension HTTPRequestHead {
    /// Whether the head names one host, as it must (RFC 9112, section 3.2).
    fileprivate var hasValidHost: Bool {
        let hosts = headers["Host"].count
        return hosts == 1 || (hosts == 0 && version == .http1_0)
    }

    /// Whether the fields and the target can be compared in little time.
    fileprivate var hasSafeText: Bool {
        !ForeignText.hasLongRun(uri.utf8) && headers.allSatisfy { !ForeignText.hasLongRun($0.value.utf8) }
    }

    /// Corrects fields that the rest of the head overrides, and returns whether there were any.
    fileprivate mutating func correct() -> Bool {
        var isCorrected = false
        // The host within a target overrides the field (RFC 9112, section 3.2.2).
        if uri.utf8.first != UInt8(ascii: "/"), let start = uri.firstRange(of: "://")?.upperBound {
            headers.replaceOrAdd(name: "Host", value: String(uri[start...].prefix { !"/?#".contains($0) }))
            isCorrected = true
        }
        // HTTP/1.0 has no expectations (RFC 9110, section 10.1.1).
        if version == .http1_0, headers.contains(name: "Expect") {
            headers.remove(name: "Expect")
            isCorrected = true
        }
        return isCorrected
    }
}
