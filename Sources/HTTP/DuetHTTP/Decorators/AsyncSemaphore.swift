import Synchronization

/// A counting semaphore for tasks, with a bounded queue of waiters that are served in order of arrival.
final class AsyncSemaphore: Sendable {
    private let state: Mutex<SemaphoreState<CheckedContinuation<Void, any Error>>>
    private let maximumWaiting: Int

    /// How many permits are free; none while a task waits.
    var free: Int { state.withLock { $0.free } }

    var waiting: Int { state.withLock { $0.waiting } }

    init(_ permits: Int, waiting: Int) {
        maximumWaiting = waiting
        state = Mutex(SemaphoreState(permits: permits))
    }

    /// Waits for a permit, which ``signal()`` must release.
    ///
    /// - Throws: `error` when the queue is full; `CancellationError` when the task is canceled while it waits. The task
    ///   has no permit then.
    func wait(orThrow error: @autoclosure () -> any Error) async throws {
        let id: Int? = state.withLock { $0.takePermit() ? nil : $0.newID() }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let immediate: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.takePermit() { return .success(()) }
                    guard state.waiting < maximumWaiting else { return .failure(error()) }
                    state.enqueue(continuation, id: id)
                    return nil
                }
                if let immediate { continuation.resume(with: immediate) }
            }
        } onCancel: {
            state.withLock { $0.remove(id) }?.resume(throwing: CancellationError())
        }
    }

    /// Releases a permit, which goes to the first waiter.
    func signal() {
        state.withLock { $0.signal() }?.resume()
    }
}

/// The state of a semaphore: its free permits, or its queue of waiters.
///
/// A `Monitor` would wake every waiter for each permit, which is quadratic.
///
/// It is pure: it returns which waiter to resume. A released permit goes to the first waiter, so none waits while one
/// is free.
package struct SemaphoreState<Waiter: Sendable>: Sendable {
    package private(set) var free: Int

    private var waiters: [Int: Waiter] = [:]
    /// No waiter has a smaller id.
    private var firstID = 0
    private var lastID = 0

    package var waiting: Int { waiters.count }

    package init(permits: Int) {
        free = permits
    }

    /// A new identifier for a waiter; identifiers are in order of arrival.
    package mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    package mutating func takePermit() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    package mutating func enqueue(_ waiter: Waiter, id: Int) {
        // A task may get its id before another and be enqueued after it.
        firstID = waiters.isEmpty ? id : min(firstID, id)
        waiters[id] = waiter
    }

    /// Removes a waiter; nil when it already has its permit.
    package mutating func remove(_ id: Int) -> Waiter? {
        waiters.removeValue(forKey: id)
    }

    /// Releases a permit and returns the waiter that gets it; nil when no task waits.
    package mutating func signal() -> Waiter? {
        guard !waiters.isEmpty else {
            free += 1
            return nil
        }
        while true {
            defer { firstID += 1 }
            if let waiter = waiters.removeValue(forKey: firstID) { return waiter }
        }
    }
}
