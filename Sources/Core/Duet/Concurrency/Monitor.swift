import Synchronization

/// State that tasks share and wait on, as threads do with a lock and a condition variable.
///
/// A wait is a closure that takes what it waits for out of the state, or returns nil and leaves the state unchanged.
/// After each change the waits are tried in order of arrival, so that no wakeup is lost.
package final class Monitor<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        /// Returns the function that resumes the task, if its wait is over.
        let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
        let cancel: @Sendable () -> Void

        init<Value: Sendable>(
            id: Int,
            _ continuation: CheckedContinuation<Value?, Never>,
            for attempt: @escaping @Sendable (inout State) -> Value?
        ) {
            self.id = id
            self.attempt = { state in
                guard let value = attempt(&state) else { return nil }
                return { continuation.resume(returning: value) }
            }
            cancel = { continuation.resume(returning: nil) }
        }
    }

    private struct Contents {
        var state: State
        var waiters: [Waiter] = []
        var lastID = 0

        mutating func newID() -> Int {
            lastID += 1
            return lastID
        }

        mutating func remove(_ id: Int) -> Waiter? {
            waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
        }

        /// Ends the waits that are over, and returns the functions that resume their tasks.
        mutating func finishedWaits() -> [@Sendable () -> Void] {
            var finished: [@Sendable () -> Void] = []
            var lastCount: Int
            repeat {
                lastCount = finished.count
                var kept = 0
                for index in waiters.indices {
                    if let resume = waiters[index].attempt(&state) {
                        finished.append(resume)
                    } else {
                        waiters.swapAt(kept, index)
                        kept += 1
                    }
                }
                waiters.removeLast(waiters.count - kept)
                // An earlier wait may depend on the change of a later one.
            } while finished.count > lastCount
            return finished
        }
    }

    private let contents: Mutex<Contents>

    package init(_ state: State) {
        contents = Mutex(Contents(state: state))
    }

    package func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
        contents.withLock { body($0.state) }
    }

    /// Changes the state, and resumes the tasks whose waits are over.
    @discardableResult
    package func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, finished) = contents.withLock { contents in
            let value = body(&contents.state)
            return (value, contents.finishedWaits())
        }
        for resume in finished { resume() }
        return value
    }

    /// Waits until `attempt` returns a value, and returns it.
    ///
    /// - Throws: `CancellationError` when the task is canceled first; `attempt` has taken nothing then.
    package func wait<Value: Sendable>(for attempt: @escaping @Sendable (inout State) -> Value?) async throws -> Value {
        let (early, finished) = contents.withLock { contents in
            let value = attempt(&contents.state)
            // Without a value, nothing has changed.
            return (value, value == nil ? [] : contents.finishedWaits())
        }
        for resume in finished { resume() }
        if let early { return early }
        let id = contents.withLock { $0.newID() }
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Checked under the lock: a later cancellation finds the waiter.
                enqueue(Waiter(id: id, continuation, for: attempt)) { Task.isCancelled }
            }
        } onCancel: {
            contents.withLock { $0.remove(id) }?.cancel()
        }
        guard let value else { throw CancellationError() }
        return value
    }

    /// Waits until the state meets a condition, also in a canceled task.
    package func waitEvenIfCanceled(until condition: @escaping @Sendable (State) -> Bool) async {
        let _: Void? = await withCheckedContinuation { continuation in
            let waiter = Waiter(id: 0, continuation) { state in condition(state) ? () : nil }
            enqueue(waiter) { false }
        }
    }

    private func enqueue(_ waiter: Waiter, unlessCanceled isCanceled: () -> Bool) {
        let finished = contents.withLock { contents in
            if isCanceled() { return [waiter.cancel] }
            // The other waits have been tried since the last change.
            guard let resume = waiter.attempt(&contents.state) else {
                contents.waiters.append(waiter)
                return []
            }
            return [resume] + contents.finishedWaits()
        }
        for resume in finished { resume() }
    }
}

extension Monitor<Bool> {
    /// Runs an operation while no other task runs one through this method; the state is whether one does.
    ///
    /// - Throws: The error of `body`, or `CancellationError` if the task is canceled before it begins.
    package func exclusively<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await wait { isTaken -> Void? in
            guard !isTaken else { return nil }
            isTaken = true
            return ()
        }
        defer { update { $0 = false } }
        return try await body()
    }
}
