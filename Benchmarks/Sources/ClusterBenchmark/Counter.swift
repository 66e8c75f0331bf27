import Synchronization

/// Counts, and resumes a task that waits for a number.
final class Counter: Sendable {
    private struct State {
        var count = 0
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func add() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let waiting = state.waiting, state.count >= waiting.count else { return nil }
            state.waiting = nil
            return waiting.continuation
        }
        waiter?.resume()
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count >= count { return true }
                state.waiting = (count, continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
