import DuetHummingbird
import HummingbirdCore
import NIOCore
import Synchronization

/// A client's connection, and what is being done for it.
final class ProxyConnection: ServerChildChannelValue {
    private struct State {
        var exchange: Task<Void, Never>?
        var isAnswering = false
        var isBroken = false
        var isClosing = false
        var endsAnswer = false
    }

    let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Whether a request has no whole answer yet.
    var isAnswering: Bool { state.withLock { $0.isAnswering } }

    /// Whether what the client sent is not HTTP, so that nothing that follows can be read.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Whether the last answer is given, so that nothing that follows is of any use.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    func begin(_ exchange: Task<Void, Never>) {
        state.withLock { state in
            state.exchange = exchange
            state.isAnswering = true
        }
    }

    func endAnswer(isLast: Bool) {
        state.withLock { state in
            state.isAnswering = false
            state.isClosing = state.isClosing || isLast
        }
    }

    /// Takes note that nothing but the end of the connection tells the end of an answer.
    func setEndsAnswer() {
        state.withLock { $0.endsAnswer = true }
    }

    /// Closes the connection at once, and so that an answer that is cut off does not look whole.
    func breakOff() {
        let endsAnswer = state.withLock(\.endsAnswer)
        channel.eventLoop.execute { [self] in
            let isCut = isAnswering || channel.hasPendingBytes
            if endsAnswer, isCut { channel.reset() } else { channel.close(promise: nil) }
        }
    }

    func setBroken() {
        state.withLock { $0.isBroken = true }
    }

    func cancel() {
        state.withLock { $0.exchange }?.cancel()
    }

    /// Waits until the connection is closed and nothing is done for it any more; a task that is cancelled closes it.
    func end() async {
        await withTaskCancellationHandler {
            // That it closed with an error is nothing to anybody.
            try? await channel.closeFuture.get()
        } onCancel: {
            breakOff()
        }
        await state.withLock { $0.exchange }?.value
    }
}
