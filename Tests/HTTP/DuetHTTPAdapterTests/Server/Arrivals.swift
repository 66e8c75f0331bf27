import Synchronization

/// The numbered requests that have reached a server.
final class Arrivals: Sendable {
    private struct State {
        var arrived: Set<Int> = []
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func record(_ number: Int) {
        let waiter = state.withLock { state in
            state.arrived.insert(number)
            return state.waiters.removeValue(forKey: number)
        }
        waiter?.resume()
    }

    /// Waits for a request, or until the task is canceled, as at a suite's time limit.
    func wait(for number: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver = state.arrived.contains(number) || Task.isCancelled
                    if !isOver { state.waiters[number] = continuation }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
