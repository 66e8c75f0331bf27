import Duet
import Synchronization

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

    private struct State {
        var isEnding = false
        var last = 0
        var running: [Int: Interrupt] = [:]
    }

    private typealias Interrupt = @Sendable (Interruption) -> Void

    /// The time for which an interrupted operation can still end.
    private static let grace: Duration = .seconds(1)

    private let clock: any Clock<Duration>
    /// Not tasks, which would cost more than most handlers.
    private let timers: ClusterTimers
    private let state = Mutex(State())
    /// The command of a handler that ignores its cancellation.
    private let stuck = Monitor<String?>(nil)

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        timers = ClusterTimers(clock)
    }

    /// Runs an operation until it has ended, or has not ended in time after it was interrupted.
    ///
    /// No handler begins after the end of the worker.
    ///
    /// - Parameters:
    ///   - limit: The time after which the operation is interrupted, and the time in which it must end then; nil for no
    ///     limit but the end of the worker.
    ///   - isFinishing: Whether the operation reports what a handler has done. An interruption then cancels it only at
    ///     the end of the grace.
    ///   - mayBlock: Whether the operation may block its thread, and is left alone then, too. Without that, it begins on
    ///     the current thread.
    func run<Value: Sendable>(
        within limit: Duration? = nil,
        isFinishing: Bool = false,
        mayBlock: Bool = false,
        _ operation: @escaping @Sendable @concurrent () async -> Value
    ) async -> Ended<Value> {
        let run = HandlerRun<Value>()
        let perform: @Sendable @concurrent () async throws -> Void = { [self] in
            let mayBegin = isFinishing || !state.withLock { $0.isEnding }
            if mayBegin { run.end(with: await operation()) } else { run.end(after: .shutdown) }
        }
        let work: Task<Void, any Error> = mayBlock ? Task(operation: perform) : .startingHere(perform)
        // Most handlers that do not suspend have ended.
        guard !run.isOver else { return run.ended }
        let interrupt: Interrupt = { [timers] interruption in
            guard run.interrupt(interruption) else { return }
            if !isFinishing { work.cancel() }
            let rest = interruption == .timeout ? limit ?? Self.grace : Self.grace
            run.keep(
                timers.schedule(rest) {
                    run.end()
                    work.cancel()
                }
            )
        }
        let id = begin(interrupt)
        if let limit { run.keep(timers.schedule(limit) { interrupt(.timeout) }) }
        await withTaskCancellationHandler {
            await run.untilOver()
        } onCancel: {
            work.cancel()
        }
        state.withLock { $0.running[id] = nil }
        for timer in run.timers { timers.cancel(timer) }
        return run.ended
    }

    /// Has an operation interrupted at the end of the worker, or at once after it.
    private func begin(_ interrupt: @escaping Interrupt) -> Int {
        let (id, isEnding) = state.withLock { state in
            state.last += 1
            if !state.isEnding { state.running[state.last] = interrupt }
            return (state.last, state.isEnding)
        }
        if isEnding { interrupt(.shutdown) }
        return id
    }

    /// Notes that the handler of a command goes on, although it was canceled long ago.
    func noteStuck(_ message: String) { stuck.update { $0 = $0 ?? message } }

    /// Waits until the handler of a command is stuck, and returns the name of the command; nil if the task is canceled.
    func waitUntilStuck() async -> String? { try? await stuck.wait { $0 } }

    /// Ends the worker after a duration, in which its handlers can end.
    ///
    /// - Returns: A function that ends no handler anymore.
    func end(after limit: Duration) -> @Sendable () -> Void {
        let timer = Task {
            try await clock.sleep(for: limit)
            let running = state.withLock { state in
                state.isEnding = true
                return state.running.values
            }
            for interrupt in running { interrupt(.shutdown) }
        }
        return { timer.cancel() }
    }
}
