import Synchronization

/// Calls closures at their due times.
///
/// Almost always, a single sleeping task serves all timers. A canceled sleep may keep its timer until it would have
/// ended. Therefore, timers that are usually canceled do not sleep by themselves, and no sleep is long. Otherwise,
/// canceled sleeps of increasingly earlier timers would accumulate.
package final class TimerQueue<C: Clock>: Sendable where C.Duration == Duration {
    private struct State {
        var lastID = 0
        var timers: [Int: (due: C.Instant, fire: @Sendable () -> Void)] = [:]
        /// The times at which a sleep ends, the earliest last.
        var wakeups: [C.Instant] = []

        /// Records and returns the end of the sleep that a timer needs, or nil if another sleep ends early enough.
        mutating func wakeup(for due: C.Instant, from now: C.Instant) -> C.Instant? {
            let moment = min(due, now.advanced(by: TimerQueue.longestSleep))
            if let first = wakeups.last, first <= moment { return nil }
            wakeups.append(moment)
            return moment
        }
    }

    private static var longestSleep: Duration { .seconds(10) }

    private let clock: C
    private let state = Mutex(State())

    package init(_ clock: C) {
        self.clock = clock
    }

    /// Calls `fire` after a duration, unless the timer is canceled first.
    ///
    /// - Returns: The identifier of the timer.
    package func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> Int {
        let now = clock.now
        let due = now.advanced(by: duration)
        let (id, wakeup) = state.withLock { state in
            state.lastID += 1
            state.timers[state.lastID] = (due, fire)
            return (state.lastID, state.wakeup(for: due, from: now))
        }
        if let wakeup { sleep(until: wakeup) }
        return id
    }

    /// Cancels a timer.
    ///
    /// - Returns: Whether the timer had not fired yet.
    package func cancel(_ id: Int) -> Bool {
        state.withLock { $0.timers.removeValue(forKey: id) != nil }
    }

    private func sleep(until moment: C.Instant) {
        // Detached, because the sleep serves other tasks too and must not inherit the context of the first.
        Task.detached { [self] in
            // The task is never canceled, so the sleep does not throw early.
            try? await clock.sleep(until: moment, tolerance: nil)
            fire(moment)
        }
    }

    private func fire(_ moment: C.Instant) {
        let now = clock.now
        let (due, next) = state.withLock { state in
            state.wakeups.removeAll { $0 == moment }
            let due = state.timers.filter { $0.value.due <= now }
            for id in due.keys { state.timers[id] = nil }
            let next = state.timers.values.map(\.due).min().flatMap { state.wakeup(for: $0, from: now) }
            return (due.values.map(\.fire), next)
        }
        for fire in due { fire() }
        if let next { sleep(until: next) }
    }
}
