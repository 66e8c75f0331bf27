import Duet

/// The handlers that run on a worker, each in a separate task.
///
/// A handler that does not end in time is canceled. Its command waits for its end, because the next one, or another
/// attempt, must not run at the same time. If it ignores its cancellation, its worker ends, and leaves it alone.
final class Handlers: Sendable {
    enum Interruption {
        /// It did not end within its limit.
        case timeout
        /// The worker ended.
        case shutdown
    }

    struct Ended<Value: Sendable>: Sendable {
        /// Nil if the operation did not end.
        var value: Value?
        /// Nil if the operation ended by itself.
        var interruption: Interruption?
    }

    private struct Running {
        let operation: AbandonableOperation
        let isFinishing: Bool
        var interruption: Interruption?
        var timers: [DelayedCall] = []
    }

    private struct State {
        var isEnding = false
        /// The command of a handler that ignores its cancellation.
        var stuck: String?
        var running: [Int: Running] = [:]
        var lastID = 0
    }

    /// The time for which an interrupted operation can still end.
    private static let grace: Duration = .seconds(1)

    private let clock: any Clock<Duration>
    private let state = Monitor(State())

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Runs an operation until it has ended, or has not ended in time after it was interrupted.
    ///
    /// No handler begins after the end of the worker.
    ///
    /// - Parameters:
    ///   - limit: The time after which the operation is interrupted, and the time in which it must end then; nil for no
    ///     limit but the end of the worker.
    ///   - startsHere: Whether it begins on the current thread. Then nothing can interrupt it before it suspends.
    ///   - isFinishing: Whether the operation reports what a handler has done. An interruption then cancels it only at
    ///     the end of the grace.
    func run<Value: Sendable>(
        within limit: Duration? = nil,
        startsHere: Bool = false,
        isFinishing: Bool = false,
        _ operation: @escaping @Sendable @concurrent () async -> Value
    ) async -> Ended<Value> {
        let id = state.update { state -> Int? in
            guard isFinishing || !state.isEnding else { return nil }
            state.lastID += 1
            return state.lastID
        }
        guard let id else { return Ended(interruption: .shutdown) }
        let onStart = { [self] (operation: AbandonableOperation) in
            begin(Running(operation: operation, isFinishing: isFinishing), id, within: limit)
        }
        let value = await abandonable(startsHere: startsHere, onStart: onStart, operation)
        let ended = state.update { $0.running.removeValue(forKey: id) }
        for timer in ended?.timers ?? [] { timer.cancel() }
        return Ended(value: value, interruption: ended?.interruption)
    }

    private func begin(_ running: Running, _ id: Int, within limit: Duration?) {
        let isEnding = state.update { state in
            state.running[id] = running
            return state.isEnding
        }
        if isEnding {
            interrupt(id, .shutdown, grace: Self.grace)
        } else if let limit {
            setTimer(of: id, after: limit) { [self] in interrupt(id, .timeout, grace: limit) }
        }
    }

    private func interrupt(_ id: Int, _ interruption: Interruption, grace: Duration) {
        let running = state.update { state in
            if state.running[id]?.interruption == nil { state.running[id]?.interruption = interruption }
            return state.running[id]
        }
        guard let running else { return }
        if !running.isFinishing { running.operation.cancel() }
        setTimer(of: id, after: grace, running.operation.abandon)
    }

    private func setTimer(of id: Int, after delay: Duration, _ call: @escaping @Sendable () -> Void) {
        let timer = DelayedCall(after: delay, clock: clock, call)
        let hasEnded = state.update { $0.running[id]?.timers.append(timer) == nil }
        if hasEnded { timer.cancel() }
    }

    /// Notes that the handler of a command goes on, although it was canceled long ago.
    func noteStuck(_ message: String) { state.update { $0.stuck = $0.stuck ?? message } }

    /// Waits until the handler of a command is stuck, and returns the name of the command; nil if the task is canceled.
    func waitUntilStuck() async -> String? { try? await state.wait { $0.stuck } }

    /// Ends the worker after a duration, in which its handlers can end.
    func end(after limit: Duration) -> DelayedCall {
        DelayedCall(after: limit, clock: clock) { [self] in
            let running = state.update { state in
                state.isEnding = true
                return state.running
            }
            // A worker that ends does not wait for a handler that was canceled before.
            for id in running.keys { interrupt(id, .shutdown, grace: Self.grace) }
        }
    }
}
