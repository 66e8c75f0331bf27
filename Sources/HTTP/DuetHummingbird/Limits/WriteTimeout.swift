import Logging
import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Closes a connection whose client does not read its response, or reads it too slowly.
final class WriteTimeout: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let timeout: TimeAmount
    /// The bytes that a client must read until the timeout, if there are as many.
    private let share: Int
    private let logger: Logger
    /// The bytes written, and how many of them the system had accepted at the last check.
    private var (written, accepted) = (0, 0)
    private var timer: Scheduled<Void>?

    init(_ limits: ServerLimits, _ logger: Logger) {
        timeout = TimeAmount(limits.writeTimeout)
        share = Int(min(limits.writeTimeout / .seconds(1) * Double(max(0, limits.writeRate)), 1e12))
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

    /// Starts a timer if the system has not accepted everything, which is rare.
    private func watch(_ context: ChannelHandlerContext) {
        let pending = context.channel.pendingBytes
        guard pending > 0 else { return }
        accepted = written - pending
        let expected = max(1, min(share, pending))
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.timer = nil
            let pending = context.channel.pendingBytes
            if pending > 0, self.written - pending - self.accepted < expected {
                self.logger.info("A client did not read its response in time", metadata: ["bytes": "\(pending)"])
                context.channel.reset()
            } else {
                self.watch(context)
            }
        }
    }
}

extension Channel {
    /// The number of bytes that the system has not accepted yet, because the client has not read earlier ones.
    fileprivate var pendingBytes: Int {
        // Zero on a channel that cannot report it.
        (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Whether the system has not accepted everything yet.
    var hasPendingBytes: Bool { pendingBytes > 0 }

    /// Whether the client's system has not received everything yet.
    var hasUnreceivedBytes: Bool {
        if hasPendingBytes { return true }
        let count = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            socket in
            var count: CInt = 0
            #if canImport(Darwin)
                var size = socklen_t(MemoryLayout<CInt>.size)
                let result = unsafe getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &size)
            #else
                let result = unsafe ioctl(socket, UInt(TIOCOUTQ), &count)
            #endif
            return result == 0 ? count : 0
        }
        return (count ?? 0) > 0
    }

    /// Closes the connection with a reset, so that the client does not mistake the close for the end of its response.
    fileprivate func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }
}
