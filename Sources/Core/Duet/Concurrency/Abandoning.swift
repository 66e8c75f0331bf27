import Synchronization

/// Counts the operations that were abandoned and have not ended.
package final class AbandonedOperations: Sendable {
    private let number = Atomic(0)

    package init() {}

    package var count: Int { number.load(ordering: .acquiring) }

    fileprivate func add(_ change: Int) { number.add(change, ordering: .acquiringAndReleasing) }
}

/// A running operation whose caller can go on without it.
package struct AbandonableOperation: Sendable {
    package let cancel: @Sendable () -> Void
    /// Cancels the operation, and lets its caller go on; nothing waits for its end.
    package let abandon: @Sendable () -> Void
}

/// Runs an operation until it ends, or is abandoned.
///
/// The work has its own task, because it may not suspend. The caller's cancellation only cancels it.
///
/// - Parameters:
///   - abandoned: Counts the operation from its abandonment to its end.
///   - startsHere: Whether it begins on the current thread. It can be abandoned only after it has suspended then.
///   - onStart: Receives the operation, which may have ended.
/// - Returns: The value; nil if the operation was abandoned.
package func abandonable<Value: Sendable, Failure: Error>(
    countedBy abandoned: AbandonedOperations? = nil,
    startsHere: Bool = false,
    onStart: (AbandonableOperation) -> Void,
    _ operation: @escaping @Sendable @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    let end = Monitor<Result<Value?, Failure>?>(nil)
    let body: @Sendable @concurrent () async throws -> Void = {
        let result: Result<Value?, Failure>
        do throws(Failure) { result = .success(try await operation()) } catch { result = .failure(error) }
        let isAbandoned = end.update { end in
            defer { end = end ?? result }
            return end != nil
        }
        if isAbandoned { abandoned?.add(-1) }
    }
    let work = startsHere ? Task.startingHere(body) : Task(operation: body)
    onStart(
        AbandonableOperation {
            work.cancel()
        } abandon: {
            end.update { end in
                guard end == nil else { return }
                // Before the caller goes on.
                abandoned?.add(1)
                end = .success(nil)
            }
            work.cancel()
        }
    )
    await withTaskCancellationHandler {
        await end.waitEvenIfCanceled { $0 != nil }
    } onCancel: {
        work.cancel()
    }
    return try end.read(\.self)?.get() ?? nil
}

/// Runs an operation, and abandons it if it does not end within a duration.
package func abandoning<Value: Sendable, Failure: Error>(
    after duration: Duration,
    clock: any Clock<Duration>,
    countedBy abandoned: AbandonedOperations? = nil,
    _ operation: @escaping @Sendable @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    var timer: DelayedCall?
    defer { timer?.cancel() }
    let start = { (running: AbandonableOperation) in
        timer = DelayedCall(after: duration, clock: clock, running.abandon)
    }
    return try await abandonable(countedBy: abandoned, onStart: start, operation)
}
