import Foundation
import NIOCore

/// Responds to each request on one connection with the steps of a script.
final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: ServerLog
    private let script: @Sendable (ReceivedRequest) -> [Step]
    private var received: [UInt8] = []

    init(log: ServerLog, script: @escaping @Sendable (ReceivedRequest) -> [Step]) {
        self.log = log
        self.script = script
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        while let request = ReceivedRequest.take(from: &received) {
            log.record { $0.requests.append(request) }
            for step in script(request) { perform(step, on: context.channel) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Some tests disconnect the client in the middle.
        context.close(promise: nil)
    }

    private func perform(_ step: Step, on channel: any Channel) {
        switch step {
        case .bytes(let bytes): channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        case .drip(let bytes): Self.drip(bytes, at: 0, on: channel, log: log)
        case .endless(let bytes):
            // Many bytes at a time: the event loop does nothing else until a write has to wait for the client.
            let repeated = Array(repeatElement(bytes, count: 65_536 / bytes.count + 1).joined())
            Self.pour(ByteBuffer(bytes: repeated), into: channel)
        case .close: channel.close(promise: nil)
        case .reset:
            let lingering = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            lingering?.whenComplete { _ in channel.close(promise: nil) }
        }
    }

    private static func drip(_ bytes: [UInt8], at index: Int, on channel: any Channel, log: ServerLog) {
        channel.writeAndFlush(ByteBuffer(bytes: [bytes[index % bytes.count]])).whenSuccess {
            log.record { $0.dripped += 1 }
            channel.eventLoop.scheduleTask(in: .milliseconds(1)) {
                drip(bytes, at: index + 1, on: channel, log: log)
            }
        }
    }

    private static func pour(_ buffer: ByteBuffer, into channel: any Channel) {
        channel.writeAndFlush(buffer).whenSuccess {
            // Not at once: a write that succeeds without waiting would recurse forever.
            channel.eventLoop.execute { pour(buffer, into: channel) }
        }
    }
}
