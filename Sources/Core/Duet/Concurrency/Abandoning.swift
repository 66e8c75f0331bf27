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
/// - Returns: The value; nil if the operation was abandoned.
package func abandonable<Value: Sendable, Failure: Error>(
    countedBy abandoned: AbandonedOperations? = nil,
    startsHere: Bool = false,
    onStart: (AbandonableOperation) -> Void,
    _ operation: @escaping @Sendable @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    let end = FirstValue<Result<Value?, Failure>>()
    let body: @Sendable @concurrent () async throws -> Void = {
        let result: Result<Value?, Failure>
        do throws(Failure) { result = .success(try await operation()) } catch { result = .failure(error) }
        if !end.set(result) { abandoned?.add(-1) }
    }
    let work = startsHere ? Task.startingHere(body) : Task(operation: body)
    onStart(
        AbandonableOperation {
            work.cancel()
        } abandon: {
            // Counted before the caller goes on.
            end.set(.success(nil)) { abandoned?.add(1) }
            work.cancel()
        }
    )
    let result = await withTaskCancellationHandler {
        await end.value
    } onCancel: {
        work.cancel()
    }
    return try result.get()
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

/// The first of the values that tasks set, for one task that waits.
private final class FirstValue<Value: Sendable>: Sendable {
    private enum State {
        case none
        case awaited(CheckedContinuation<Value, Never>)
        case set(Value)
    }

    private let state = Mutex(State.none)

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    if case .set(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }

    /// Sets the value if it is the first one, and returns whether it is.
    @discardableResult
    func set(_ value: Value, ifFirst body: () -> Void = {}) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            let old = state
            if case .set = old { return (false, nil) }
            state = .set(value)
            body()
            if case .awaited(let continuation) = old { return (true, continuation) }
            return (true, nil)
        }
        continuation?.resume(returning: value)
        return isFirst
    }
}
