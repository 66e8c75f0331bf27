import Synchronization

/// Counts the operations that were abandoned and have not ended.
package final class AbandonedOperations: Sendable {
    private let number = Atomic(0)

    package init() {}

    package var count: Int { number.load(ordering: .acquiring) }

    fileprivate func add(_ change: Int) { number.add(change, ordering: .acquiringAndReleasing) }
}

/// Runs an operation, and goes on without it if it does not end in time.
///
/// The deadline cancels the operation, and nothing waits for its end. The caller's cancellation only cancels it.
///
/// `deadline` returns when the operation must have ended, and can cancel it earlier. `abandoned` counts the operation
/// from the deadline to its end. The work has its own task, because it may not suspend.
///
/// - Returns: The value; nil if the operation was abandoned.
package func abandoning<Value: Sendable, Failure: Error>(
    after deadline: @escaping @Sendable (_ cancel: @Sendable () -> Void) async throws -> Void,
    countedBy abandoned: AbandonedOperations = AbandonedOperations(),
    _ operation: @escaping @Sendable @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    let end = Monitor<Result<Value?, Failure>?>(nil)
    let work = Task {
        let result: Result<Value?, Failure>
        do throws(Failure) { result = .success(try await operation()) } catch { result = .failure(error) }
        let isAbandoned = end.update { end in
            defer { end = end ?? result }
            return end != nil
        }
        if isAbandoned { abandoned.add(-1) }
    }
    let timer = Task {
        try await deadline { work.cancel() }
        end.update { end in
            guard end == nil else { return }
            // Before the caller goes on.
            abandoned.add(1)
            end = .success(nil)
        }
        work.cancel()
    }
    await withTaskCancellationHandler {
        await end.waitEvenIfCanceled { $0 != nil }
    } onCancel: {
        work.cancel()
    }
    timer.cancel()
    return try end.read(\.self)?.get() ?? nil
}

/// Runs an operation, and goes on without it if it does not end within a duration.
package func abandoning<Value: Sendable, Failure: Error>(
    after duration: Duration,
    clock: any Clock<Duration>,
    countedBy abandoned: AbandonedOperations = AbandonedOperations(),
    _ operation: @escaping @Sendable @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    try await abandoning(after: { _ in try await clock.sleep(for: duration) }, countedBy: abandoned, operation)
}
