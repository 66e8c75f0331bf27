import HummingbirdCore
import NIOCore
import Synchronization

/// A client's connection, and what is being done for it.
final class ProxyConnection: ServerChildChannelValue {
    let channel: any Channel
    private let exchange = Mutex<Task<Void, Never>?>(nil)

    init(_ channel: any Channel) {
        self.channel = channel
    }

    func begin(_ exchange: Task<Void, Never>) {
        self.exchange.withLock { $0 = exchange }
    }

    func cancel() {
        exchange.withLock { $0 }?.cancel()
    }

    /// Waits until the connection is closed and nothing is done for it any more; a task that is cancelled closes it.
    func end() async {
        await withTaskCancellationHandler {
            // That it closed with an error is nothing to anybody.
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
        await exchange.withLock { $0 }?.value
    }
}
