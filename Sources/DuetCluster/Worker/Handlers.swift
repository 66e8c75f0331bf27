import Duet

/// The handlers that run on a worker, each in a separate task.
///
/// A handler that never ends keeps neither its command nor its worker forever: it is canceled, and left alone if it
/// ignores that.
final class Handlers: Sendable {
    /// What became of an operation.
    struct Ended<Value: Sendable>: Sendable {
        /// Nil if the operation did not end.
        var value: Value?
        /// Whether it was canceled because of its limit or the end of the worker.
        var isInterrupted = false
    }

    private struct State: Sendable {
        var last = 0
        var interruptions: [Int: @Sendable () -> Void] = [:]
        var isEnding = false
    }

    private struct Run<Value: Sendable>: Sendable {
        var ended = Ended<Value>()
        var isAbandoned = false
        var timers: [Int] = []
    }

    /// The time for which a canceled handler can still end.
    static let grace: Duration = .seconds(1)

    private let timers: ClusterTimers
    private let state = Monitor(State())

    init(_ clock: any Clock<Duration>) {
        timers = ClusterTimers(clock)
    }

    /// Runs an operation until it has ended, or has not ended in time after it was canceled.
    ///
    /// - Parameter limit: The time after which the operation is canceled; nil for no limit but the end of the worker.
    func run<Value: Sendable>(
        within limit: Duration? = nil,
        _ operation: @escaping @Sendable @concurrent () async -> Value
    ) async -> Ended<Value> {
        let run = Monitor(Run<Value>())
        let task = Task<Void, any Error>.startingHere {
            let value = await operation()
            run.update { $0.ended.value = value }
        }
        let interrupt: @Sendable () -> Void = { [timers] in
            run.update { $0.ended.isInterrupted = true }
            task.cancel()
            let timer = timers.schedule(Self.grace) { run.update { $0.isAbandoned = true } }
            run.update { $0.timers.append(timer) }
        }
        let number = add(interrupt)
        if let limit {
            let timer = timers.schedule(limit, interrupt)
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

    /// Ends the worker after a duration, in which its handlers can end.
    ///
    /// - Returns: A function that ends no handler anymore.
    func end(after limit: Duration) -> @Sendable () -> Void {
        let timer = timers.schedule(limit) { [state] in
            let interruptions = state.update { state in
                state.isEnding = true
                return Array(state.interruptions.values)
            }
            for interrupt in interruptions { interrupt() }
        }
        return { [timers] in timers.cancel(timer) }
    }

    private func add(_ interrupt: @escaping @Sendable () -> Void) -> Int {
        let (number, isEnding) = state.update { state in
            state.last += 1
            state.interruptions[state.last] = interrupt
            return (state.last, state.isEnding)
        }
        if isEnding { interrupt() }
        return number
    }
}
