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
        var isEnding = false
        /// The command of a handler that ignores its cancellation.
        var stuck: String?
    }

    private struct IsLate: Error {}

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
    ///   - isFinishing: Whether the operation reports what a handler has done. An interruption then cancels it only at
    ///     the end of the grace.
    func run<Value: Sendable>(
        within limit: Duration? = nil,
        isFinishing: Bool = false,
        _ operation: @escaping @Sendable @concurrent () async -> Value
    ) async -> Ended<Value> {
        guard isFinishing || !state.read(\.isEnding) else { return Ended(interruption: .shutdown) }
        let interruption = Monitor<Interruption?>(nil)
        let deadline: @Sendable (@Sendable () -> Void) async throws -> Void = { [self] cancel in
            let first = try await self.interruption(within: limit)
            interruption.update { $0 = first }
            if !isFinishing { cancel() }
            // A worker that ends does not wait for a handler that was canceled before.
            if first == .timeout, try await self.interruption(within: limit) == .timeout { return }
            try await clock.sleep(for: Self.grace)
        }
        let value = await abandoning(after: deadline, operation)
        return Ended(value: value, interruption: interruption.read(\.self))
    }

    /// Waits for the end of the worker, but no longer than a limit.
    private func interruption(within limit: Duration?) async throws -> Interruption {
        do {
            return try await withTimeout(limit, clock: clock, error: IsLate()) { [state] in
                try await state.wait { $0.isEnding ? .shutdown : nil }
            }
        } catch is IsLate {
            return .timeout
        }
    }

    /// Notes that the handler of a command goes on, although it was canceled long ago.
    func noteStuck(_ message: String) { state.update { $0.stuck = $0.stuck ?? message } }

    /// Waits until the handler of a command is stuck, and returns the name of the command; nil if the task is canceled.
    func waitUntilStuck() async -> String? { try? await state.wait { $0.stuck } }

    /// Ends the worker after a duration, in which its handlers can end.
    ///
    /// - Returns: A function that ends no handler anymore.
    func end(after limit: Duration) -> @Sendable () -> Void {
        let timer = Task { [clock, state] in
            try await clock.sleep(for: limit)
            state.update { $0.isEnding = true }
        }
        return { timer.cancel() }
    }
}
