import Logging
package import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Closes a connection whose client does not read what it is answered.
final class WriteTimeout: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let timeout: TimeAmount
    private let logger: Logger
    /// How many bytes were written, and how many of them the system had taken when they were last counted.
    private var (written, taken) = (0, 0)
    private var timer: Scheduled<Void>?

    init(_ limits: ServerLimits, _ logger: Logger) {
        timeout = TimeAmount(limits.writeTimeout)
        self.logger = logger
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if timer == nil { watch(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    /// Most answers are taken at once and need no timer.
    private func watch(_ context: ChannelHandlerContext) {
        let pending = context.channel.pendingBytes
        guard pending > 0 else { return }
        taken = written - pending
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.timer = nil
            let pending = context.channel.pendingBytes
            if pending > 0, self.written - pending <= self.taken {
                self.logger.info("A client did not read its answer", metadata: ["bytes": "\(pending)"])
                context.channel.reset()
            } else {
                self.watch(context)
            }
        }
    }
}

extension Channel {
    /// How many bytes wait for the system to take them, which does so as the client reads.
    fileprivate var pendingBytes: Int {
        // A kind of channel that does not know holds nobody up.
        (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Whether there are any.
    package var hasPendingBytes: Bool { pendingBytes > 0 }

    /// Closes the connection so that the other side sees it break off, and takes nothing for the end of what was sent.
    package func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }
}
