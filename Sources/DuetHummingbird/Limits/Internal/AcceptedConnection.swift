import HummingbirdCore
import NIOCore
import Synchronization

/// A connection that was accepted, until it is handled.
///
/// A server that is cancelled drops those that wait for their turn, and NIO ends a process that drops one which it was not told the
/// end of: https://github.com/apple/swift-nio/issues/2637
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any Channel
    let presence: ClientPresence
    private let waiting: Mutex<HTTP1Channel.Value?>

    init(_ connection: HTTP1Channel.Value, _ presence: ClientPresence) {
        channel = connection.channel
        self.presence = presence
        waiting = Mutex(connection)
    }

    deinit {
        guard let dropped = take() else { return }
        Task { try? await dropped.executeThenClose { _, _ in } }
    }

    /// What is to be handled, once.
    func take() -> HTTP1Channel.Value? {
        waiting.withLock { $0.take() }
    }
}
