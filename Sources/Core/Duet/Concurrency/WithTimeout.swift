import Synchronization

/// Runs an operation and cancels it after a duration.
///
/// If the operation completes anyway, its value is returned. Nothing continues after this function returns.
///
/// `error` is thrown if the operation fails after the time is up. `onStart` receives a function that cancels the
/// operation for another reason.
package func withTimeout<Value>(
    _ duration: Duration?,
    clock: any Clock<Duration>,
    error: @autoclosure () -> any Error,
    onStart: (_ cancel: @escaping @Sendable () -> Void) -> Void = { _ in },
    operation: @Sendable @concurrent @escaping () async throws -> sending Value
) async throws -> Value {
    // A new task could start before the cancellation of this one reaches it.
    guard !Task.isCancelled else { return try await operation() }
    let work = Task.startingHere { TransferBox(try await operation()) }
    onStart { work.cancel() }
    let result: Result<TransferBox<Value>, any Error>
    let isInTime: Bool
    if let duration, clock is ContinuousClock {
        let timer = timers.schedule(after: duration) { work.cancel() }
        result = await work.endWithCaller()
        isInTime = timers.cancel(timer)
    } else if let duration {
        let timer = Task {
            try await clock.sleep(for: duration)
            work.cancel()
        }
        result = await work.endWithCaller()
        timer.cancel()
        isInTime = (try? await timer.value) == nil
    } else {
        result = await work.endWithCaller()
        isInTime = true
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
    /// Waits for the task, and cancels it when the current task is canceled.
    fileprivate func endWithCaller() async -> Result<Success, Failure> {
        await withTaskCancellationHandler {
            await result
        } onCancel: {
            cancel()
        }
    }
}

/// Transfers one value from a task to another.
///
/// That is safe without `Sendable` because the sending task keeps no reference.
private final class TransferBox<Value>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: sending Value) {
        self.value = Mutex(value)
    }

    func take() -> sending Value? {
        value.withLock { $0.take() }
    }
}

extension Task where Failure == any Error {
    /// Creates a task that starts on the current thread where the system supports that.
    ///
    /// Waking another thread would cost a tenth of a small request.
    package static func startingHere(_ operation: @Sendable @concurrent @escaping () async throws -> Success) -> Task {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(operation: operation)
        }
        return .immediate(operation: operation)
    }
}
