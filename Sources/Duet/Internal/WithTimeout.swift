import Synchronization

/// Runs `operation` and cancels it when `duration` has passed.
///
/// An operation that then finishes all the same has done its work, and its value is returned. Nothing of it goes on
/// afterwards.
///
/// - Throws: What `operation` throws; `error` when it fails after the time was up.
package func withTimeout<Value>(
    _ duration: Duration,
    clock: any Clock<Duration>,
    error: @autoclosure () -> any Error,
    operation: @Sendable @concurrent @escaping () async throws -> sending Value
) async throws -> Value {
    // A task of its own could begin before it is told that it is cancelled.
    guard !Task.isCancelled else { return try await operation() }
    let work = Task.startingHere { Handover(try await operation()) }
    let result: Result<Handover<Value>, any Error>
    let isInTime: Bool
    if clock is ContinuousClock {
        let alarm = alarms.set(in: duration) { work.cancel() }
        result = await work.endWithCaller()
        isInTime = alarms.stop(alarm)
    } else {
        let alarm = Task {
            try await clock.sleep(for: duration)
            work.cancel()
        }
        result = await work.endWithCaller()
        alarm.cancel()
        isInTime = (try? await alarm.value) == nil
    }
    switch result {
    case .success(let handover):
        guard let value = handover.take() else { throw error() }
        return value
    case .failure(let failure): throw isInTime ? failure : error()
    }
}

/// Those of the clock that nearly everybody has.
private let alarms = Alarms(ContinuousClock())

extension Task {
    /// What comes of the task, which is cancelled when its caller is.
    fileprivate func endWithCaller() async -> Result<Success, Failure> {
        await withTaskCancellationHandler {
            await result
        } onCancel: {
            cancel()
        }
    }
}

/// Hands one value from a task to another, which is safe for a value that is not `Sendable` because it is given away.
private final class Handover<Value>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: sending Value) {
        self.value = Mutex(value)
    }

    func take() -> sending Value? {
        value.withLock { $0.take() }
    }
}
