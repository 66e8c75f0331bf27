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
    let timer = duration.map { DelayedCall(after: $0, clock: clock) { work.cancel() } }
    let result = await work.endWithCaller()
    let isInTime = await timer?.cancelInTime() ?? true
    switch result {
    case .success(let box):
        guard let value = box.take() else { throw error() }
        return value
    case .failure(let failure): throw isInTime ? failure : error()
    }
}

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
