import Synchronization

/// One operation of ``Handlers``, until it has ended or nobody waits for it anymore.
final class HandlerRun<Value: Sendable>: Sendable {
    private struct State {
        var ended = Handlers.Ended<Value>()
        var isOver = false
        var timers: [Int] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    var ended: Handlers.Ended<Value> { state.withLock { $0.ended } }

    /// The timers to cancel at the end.
    var timers: [Int] { state.withLock { $0.timers } }

    func keep(_ timer: Int) { state.withLock { $0.timers.append(timer) } }

    /// Notes the first interruption.
    ///
    /// - Returns: Whether the operation still runs.
    func interrupt(_ interruption: Handlers.Interruption) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.ended.interruption = state.ended.interruption ?? interruption
            return true
        }
    }

    func end(with value: Value? = nil, after interruption: Handlers.Interruption? = nil) {
        let waiter = state.withLock { state in
            guard !state.isOver else { return CheckedContinuation<Void, Never>?.none }
            state.isOver = true
            state.ended.value = value
            state.ended.interruption = state.ended.interruption ?? interruption
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func untilOver() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiter = continuation }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}
