import Duet

/// The handlers that run on a worker, each in a separate task.
///
/// A handler that does not end in time is canceled. Its command waits for its end, because the next one, or another
/// attempt, must not run at the same time. If it ignores its cancellation, its worker ends, and leaves it alone.
final class Handlers: Sendable {
    enum Interruption: Sendable {
        /// It did not end within its limit.
        case timeout
        /// The worker ended.
        case shutdown
    }

    /// What became of an operation.
    struct Ended<Value: Sendable>: Sendable {
        /// Nil if the operation did not end.
        var value: Value?
        /// Nil if the operation ended by itself.
        var interruption: Interruption?
    }

    private struct State: Sendable {
        var last = 0
        var interruptions: [Int: @Sendable (Interruption) -> Void] = [:]
        var isEnding = false
        /// The command of a handler that ignores its cancellation.
        var stuck: String?
    }

    private struct Run<Value: Sendable>: Sendable {
        var ended = Ended<Value>()
        var isAbandoned = false
        var timers: [Int] = []
    }

    /// The time for which an interrupted operation can still end.
    static let grace: Duration = .seconds(1)

    private let timers: ClusterTimers
    private let state = Monitor(State())

    init(_ clock: any Clock<Duration>) {
        timers = ClusterTimers(clock)
    }

    /// Runs an operation until it has ended, or has not ended in time after it was interrupted.
    ///
    /// - Parameters:
    ///   - limit: The time after which the operation is interrupted, and the time in which it must end then; nil for no
    ///     limit but the end of the worker.
    ///   - isFinishing: Whether the operation reports what a handler has done. An interruption then cancels it only at
    ///     the end of the grace.
    func run<Value: Sendable>(
        within limit: Duration? = nil,
        isFinishing: Bool = false,
        _ operation: @escaping @Sendable @concurrent () async -> Value
    ) async -> Ended<Value> {
        let run = Monitor(Run<Value>())
        let task = Task<Void, any Error>.startingHere {
            let value = await operation()
            run.update { $0.ended.value = value }
        }
        let interrupt: @Sendable (Interruption) -> Void = { [timers] interruption in
            let isNew = run.update { state in
                // A worker that ends does not wait for a handler that was canceled before.
                guard state.ended.value == nil, state.ended.interruption != .shutdown else { return false }
                state.ended.interruption = state.ended.interruption ?? interruption
                return true
            }
            guard isNew else { return }
            if !isFinishing { task.cancel() }
            let patience = interruption == .timeout ? limit ?? Self.grace : Self.grace
            let timer = timers.schedule(patience) {
                run.update { $0.isAbandoned = true }
                task.cancel()
            }
            run.update { $0.timers.append(timer) }
        }
        let number = add(interrupt)
        if let limit {
            let timer = timers.schedule(limit) { interrupt(.timeout) }
            run.update { $0.timers.append(timer) }
        }
        await withTaskCancellationHandler {
            await run.waitEvenIfCanceled { $0.ended.value != nil || $0.isAbandoned }
        } onCancel: {
            task.cancel()
        }
        state.update { $0.interruptions[number] = nil }
        let end = run.read { $0 }
        for timer in end.timers { timers.cancel(timer) }
        return end.ended
    }

    /// Notes that the handler of a command goes on, although it was canceled long ago.
    func noteStuck(_ message: String) { state.update { $0.stuck = $0.stuck ?? message } }

    /// Waits until the handler of a command is stuck, and returns the name of the command; nil if the task is canceled.
    func waitUntilStuck() async -> String? { try? await state.wait { $0.stuck } }

    /// Ends the worker after a duration, in which its handlers can end.
    ///
    /// - Returns: A function that ends no handler anymore.
    func end(after limit: Duration) -> @Sendable () -> Void {
        let timer = timers.schedule(limit) { [state] in
            let interruptions = state.update { state in
                state.isEnding = true
                return Array(state.interruptions.values)
            }
            for interrupt in interruptions { interrupt(.shutdown) }
        }
        return { [timers] in timers.cancel(timer) }
    }

    private func add(_ interrupt: @escaping @Sendable (Interruption) -> Void) -> Int {
        let (number, isEnding) = state.update { state in
            state.last += 1
            state.interruptions[state.last] = interrupt
            return (state.last, state.isEnding)
        }
        if isEnding { interrupt(.shutdown) }
        return number
    }
}
