import Synchronization

/// Suspends tasks until a test opens it, and reports how many have arrived.
///
/// A wait ends when its task is canceled, so that no test hangs.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var lastID = 0
        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
        var watchers: [(arrivals: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    package func pass() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (early, watchers) = state.withLock { state in
                    let early: Result<Void, any Error>? =
                        state.isOpen ? .success(()) : Task.isCancelled ? .failure(CancellationError()) : nil
                    if early == nil { state.waiters[id] = continuation }
                    state.arrivals += 1
                    let reached = state.watchers.filter { $0.arrivals <= state.arrivals }
                    state.watchers.removeAll { $0.arrivals <= state.arrivals }
                    return (early, reached)
                }
                if let early { continuation.resume(with: early) }
                for watcher in watchers { watcher.continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Waits until a total number of tasks has arrived.
    package func arrivals(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals < number { state.watchers.append((number, continuation)) }
                return state.arrivals >= number
            }
            if isThere { continuation.resume() }
        }
    }
}
