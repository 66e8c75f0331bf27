import Synchronization

/// Which numbered requests have reached a server, and a way to wait for one.
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

    func wait(for number: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if !state.arrived.contains(number) { state.waiters[number] = continuation }
                return state.arrived.contains(number)
            }
            if isThere { continuation.resume() }
        }
    }
}
