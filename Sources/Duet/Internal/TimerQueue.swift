import Synchronization

/// Calls closures when they are due.
///
/// Almost always one task sleeps for all of them. A cancelled sleep may keep its timer until it would have ended. So no timer
/// that usually is cancelled sleeps by itself, and no sleep is long: otherwise timers that are set for ever earlier moments,
/// and cancelled, would add up.
package final class TimerQueue<C: Clock>: Sendable where C.Duration == Duration {
    private struct State {
        var lastID = 0
        var timers: [Int: (due: C.Instant, fire: @Sendable () -> Void)] = [:]
        /// The moments at which a sleep ends, the earliest last.
        var wakeups: [C.Instant] = []

        /// Records and returns the end of a sleep that is needed for a due moment; nil when another sleep ends before.
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

    /// Creates an empty queue with the clock that measures it.
    package init(_ clock: C) {
        self.clock = clock
    }

    /// Calls `fire` when `duration` has passed, unless the timer is cancelled before.
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
    /// - Returns: Whether it had not fired yet.
    package func cancel(_ id: Int) -> Bool {
        state.withLock { $0.timers.removeValue(forKey: id) != nil }
    }

    private func sleep(until moment: C.Instant) {
        // Detached, because it serves other tasks too and must not have the context of the first.
        Task.detached { [self] in
            // It is never cancelled, so it does not throw early.
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
