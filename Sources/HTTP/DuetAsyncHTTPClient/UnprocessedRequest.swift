import NIOCore
import NIOHTTP2

/// The error of a request that an HTTP/2 server did not process, so that any request may be sent again.
///
/// A server that closes a connection names the last stream that it may have processed (RFC 9113, section 6.8). It may
/// also reset a stream without processing it (section 8.7).
struct UnprocessedRequest: Error, CustomStringConvertible {
    var description: String { "the server did not process the request" }

    /// Throws this error in place of others on a stream whose request was not processed.
    static func recognize(on stream: any Channel) -> EventLoopFuture<Void> {
        stream.eventLoop.makeCompletedFuture {
            try stream.pipeline.syncOperations.addHandler(StreamErrors(), position: .first)
        }
    }
}

/// Keeps the last stream of a connection that its server may have processed.
final class HTTP2LastStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    fileprivate private(set) var identifier = HTTP2StreamID.maxID

    /// Adds the handler to a connection, directly after the one that decodes frames.
    static func add(to connection: any Channel) -> EventLoopFuture<Void> {
        connection.eventLoop.makeCompletedFuture {
            let pipeline = connection.pipeline.syncOperations
            let decoder = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(HTTP2LastStream(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The decoder closes the later streams after it has delivered this frame.
        if case .goAway(let last, _, _) = unwrapInboundIn(data).payload { identifier = min(identifier, last) }
        context.fireChannelRead(data)
    }
}

/// Translates the error of a stream whose request was not processed.
private final class StreamErrors: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(isOfUnprocessed(error, context) ? UnprocessedRequest() : error)
    }

    private func isOfUnprocessed(_ error: any Error, _ context: ChannelHandlerContext) -> Bool {
        guard let error = error as? NIOHTTP2Errors.StreamClosed else { return false }
        if error.errorCode == .refusedStream { return true }
        let connection = try? context.channel.parent?.pipeline.syncOperations.handler(type: HTTP2LastStream.self)
        return connection.map { error.streamID > $0.identifier } ?? false
    }
}
