import DuetClusterEngine
import Synchronization

/// A query from the call until its response, its timeout, or its cancellation.
final class PendingQuery: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Envelope, any Error>?
        var hasEnded = false
        var isAbandoned = false
        var timer: Int?
        var task: Task<Void, Never>?
        var server: InProcessQueryServer?
    }

    let request: Envelope
    let caller: InProcessConnection
    private let timers: ClusterTimers
    private let state = Mutex(State())

    init(_ request: Envelope, from caller: InProcessConnection, timers: ClusterTimers) {
        self.request = request
        self.caller = caller
        self.timers = timers
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Sets the continuation of the caller.
    ///
    /// - Returns: Whether the query has to be sent, because the caller has not been canceled yet.
    func begin(_ continuation: CheckedContinuation<Envelope, any Error>) -> Bool {
        let isCanceled = state.withLock { state in
            if !state.hasEnded { state.continuation = continuation }
            return state.hasEnded
        }
        if isCanceled { continuation.resume(throwing: CancellationError()) }
        return !isCanceled
    }

    /// Resumes the caller, unless that has been done.
    func end(_ result: Result<Envelope, any Error>) {
        finish(result, isAbandoned: false)
    }

    /// Abandons the query after a duration, unless it has ended by then.
    func end(after timeout: Duration, throwing error: TransportError) {
        // Most handlers that do not suspend have ended.
        guard !hasEnded else { return }
        let timer = timers.schedule(timeout) { [self] in abandon(throwing: error) }
        let isLate = state.withLock { state in
            state.timer = timer
            return state.hasEnded
        }
        if isLate { timers.cancel(timer) }
    }

    /// Resumes the caller with an error, and cancels the handler.
    func abandon(throwing error: any Error) {
        finish(.failure(error), isAbandoned: true)
    }

    func setServer(_ server: InProcessQueryServer) {
        state.withLock { $0.server = server }
    }

    func setTask(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if !state.hasEnded { state.task = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    func cancelHandler() {
        state.withLock { $0.task }?.cancel()
    }

    private func finish(_ result: Result<Envelope, any Error>, isAbandoned: Bool) {
        let ended: State? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            let ended = state
            state = State(hasEnded: true, isAbandoned: isAbandoned)
            return ended
        }
        guard let ended else { return }
        // Outside the lock, because the cancellation of the caller takes it, too.
        ended.continuation?.resume(with: result)
        if let timer = ended.timer { timers.cancel(timer) }
        if isAbandoned {
            ended.task?.cancel()
            ended.server?.removeWaiting(self)
        }
    }
}
