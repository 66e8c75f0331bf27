import Synchronization

/// Runs `operation` and cancels it when `duration` has passed.
///
/// If the operation finishes anyway, its value is returned. None of its work continues afterwards.
///
/// - Throws: What `operation` throws; `error` when it fails after the time was up.
package func withTimeout<Value>(
    _ duration: Duration,
    clock: any Clock<Duration>,
    error: @autoclosure () -> any Error,
    operation: @Sendable @concurrent @escaping () async throws -> sending Value
) async throws -> Value {
    // A new task could begin before it is cancelled.
    guard !Task.isCancelled else { return try await operation() }
    let work = Task.startingHere { TransferBox(try await operation()) }
    let result: Result<TransferBox<Value>, any Error>
    let isInTime: Bool
    if clock is ContinuousClock {
        let timer = timers.schedule(after: duration) { work.cancel() }
        result = await work.endWithCaller()
        isInTime = timers.cancel(timer)
    } else {
        let timer = Task {
            try await clock.sleep(for: duration)
            work.cancel()
        }
        result = await work.endWithCaller()
        timer.cancel()
        isInTime = (try? await timer.value) == nil
    }
    switch result {
    case .success(let box):
        guard let value = box.take() else { throw error() }
        return value
    case .failure(let failure): throw isInTime ? failure : error()
    }
}

/// The timers of the continuous clock, which almost every timeout uses.
private let timers = TimerQueue(ContinuousClock())

extension Task {
    /// The result of the task, which is cancelled together with its caller.
    fileprivate func endWithCaller() async -> Result<Success, Failure> {
        await withTaskCancellationHandler {
            await result
        } onCancel: {
            cancel()
        }
    }
}

/// Transfers one value from a task to another, which is safe for a value that is not `Sendable` because it is taken once.
private final class TransferBox<Value>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: sending Value) {
        self.value = Mutex(value)
    }

    func take() -> sending Value? {
        value.withLock { $0.take() }
    }
}
