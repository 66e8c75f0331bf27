import NIOCore
import NIOHTTP2

/// Closes an HTTP/2 connection after its first error, and when it receives far more bytes than it delivers.
///
/// The packages below report an error of a connection, keep it open, and buffer all that follows. Frames without
/// content, such as PING or unknown ones, are not limited by a deadline either: they arrive when no request is open.
/// So bytes and frames that are no content of a response use up an allowance, which grows with time and requests.
enum HTTP2FloodGuard {
    /// Adds a guard to a connection, around the handler that decodes frames.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: NIOHTTP2Handler.self)
            let allowance = OverheadAllowance(at: .now())
            try pipeline.addHandler(ReceivedBytes(allowance), position: .before(decoder))
            try pipeline.addHandler(DeliveredContent(allowance), position: .after(decoder))
        }
    }
}

/// The bytes and the frames that a connection may receive in addition to the content of responses.
private final class OverheadAllowance {
    private static let bytes = (maximum: 1 << 20, perSecond: 1 << 16, perRequest: 1 << 16)
    private static let frames = (maximum: 4_096, perSecond: 256, perRequest: 64, perContent: 4)
    private static let smallContent = 128
    /// The window of a stream, because its server may have sent that much before it knows of the cancellation.
    private static let bytesPerCancellation = 8 << 20

    private var bytes = OverheadAllowance.bytes.maximum
    private var frames = OverheadAllowance.frames.maximum
    private var earned: NIODeadline

    init(at now: NIODeadline) {
        earned = now
    }

    /// Whether more bytes were received than are allowed, which is known when their content was delivered.
    var isOutOfBytes: Bool { bytes < 0 }

    /// Whether more frames with little content or none were received than are allowed.
    var isOutOfFrames: Bool { frames < 0 }

    /// Uses up received bytes, before it is known which of them are content.
    func receive(_ count: Int, at now: NIODeadline) {
        let seconds = Int(min((now - earned).nanoseconds / 1_000_000_000, 3_600))
        if seconds > 0 {
            earned = now
            earn(bytes: seconds * Self.bytes.perSecond, frames: seconds * Self.frames.perSecond)
        }
        bytes -= count
    }

    /// Gives back the bytes of content, and uses up a frame with little of it: many small pieces take a long time.
    func deliver(content count: Int) {
        bytes += count
        if count < Self.smallContent { frames -= 1 }
    }

    /// Allows more for the response to a request.
    func addRequest() {
        earn(bytes: Self.bytes.perRequest, frames: Self.frames.perRequest)
    }

    /// Allows the frames with which a server asks for more of a request's content.
    func addContent() {
        earn(bytes: 0, frames: Self.frames.perContent)
    }

    /// Allows the content that still arrives for a canceled stream.
    func addCancellation() {
        bytes = max(bytes, min(bytes + Self.bytesPerCancellation, 16 * Self.bytesPerCancellation))
    }

    private func earn(bytes: Int, frames: Int) {
        // More than the maximum may be left after cancellations.
        self.bytes = max(self.bytes, min(self.bytes + bytes, Self.bytes.maximum))
        self.frames = min(self.frames + frames, Self.frames.maximum)
    }
}

/// Counts the bytes of a connection in front of the decoder.
private final class ReceivedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let allowance: OverheadAllowance

    init(_ allowance: OverheadAllowance) {
        self.allowance = allowance
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        allowance.receive(unwrapInboundIn(data).readableBytes, at: .now())
        // The decoder delivers the content of the bytes before this returns.
        context.fireChannelRead(data)
        if allowance.isOutOfBytes { context.close(promise: nil) }
    }
}

/// Counts the content behind the decoder, and closes the connection after an error.
private final class DeliveredContent: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let allowance: OverheadAllowance

    init(_ allowance: OverheadAllowance) {
        self.allowance = allowance
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .data(let frame) = unwrapInboundIn(data).payload {
            allowance.deliver(content: frame.data.readableBytes)
        } else {
            allowance.deliver(content: 0)
        }
        // The decoder stops when the connection is closed.
        if allowance.isOutOfFrames { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data).payload {
        case .headers: allowance.addRequest()
        case .data: allowance.addContent()
        case .rstStream: allowance.addCancellation()
        default: break
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
