import DuetHTTP
package import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Closes an HTTP/1.1 connection if the status of a response is below 100.
///
/// AsyncHTTPClient mistakes such a response for an informational one, and traps when a body or the end follows.
final class HTTP1StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var isRefused = false

    /// Adds a check to a connection, directly after the parser.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(HTTP1StatusCheck(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The parts that were read together with the head still arrive.
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isRefused = true
            context.fireErrorCaught(InvalidStatus(status: "\(head.status.code)"))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}

/// Closes an HTTP/2 stream if the status of a response is not valid in HTTP/2.
///
/// The libraries behind it trap on a status that is not three digits from 100 to 999. HTTP/2 has no 101 (RFC 9113,
/// section 8.6). An informational response must not end the stream (section 8.1), because a client would wait for the
/// final one.
final class HTTP2StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private var isRefused = false

    static func add(to stream: any Channel) -> EventLoopFuture<Void> {
        stream.eventLoop.makeCompletedFuture {
            try stream.pipeline.syncOperations.addHandler(HTTP2StatusCheck(), position: .first)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .headers(let frame) = unwrapInboundIn(data), let status = frame.headers.first(name: ":status"),
            !Self.isStatus(status) || frame.endStream && status.hasPrefix("1")
        {
            isRefused = true
            context.fireErrorCaught(InvalidStatus(status: status))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    private static func isStatus(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy(FieldSyntax.isDigit) && !text.hasPrefix("0") && text != "101"
    }
}

/// The error of a response whose status is not three digits from 100 to 999 (RFC 9110, section 15).
package struct InvalidStatus: Error, CustomStringConvertible {
    let status: String

    package var description: String { "the response is not valid HTTP (status \(status.prefix(20)))" }
}

extension HTTPResponse.Status {
    /// Creates a received status, which over HTTP/2 may be any number; HTTPTypes traps on invalid ones.
    package init(received code: UInt, reasonPhrase: String) throws(InvalidStatus) {
        guard (100...999).contains(code) else { throw InvalidStatus(status: "\(code)") }
        self.init(code: Int(code), reasonPhrase: reasonPhrase)
    }
}
