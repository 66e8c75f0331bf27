import Synchronization

/// Rings alarms when they are due: however many are set, next to always one task sleeps for all of them.
///
/// A sleep that is cancelled may leave its timer behind until it would have ended, so that nothing which mostly ends before
/// its time sleeps by itself, and nobody sleeps for long: else alarms that are set for ever earlier, and stopped, would add up.
package final class Alarms<C: Clock>: Sendable where C.Duration == Duration {
    private struct State {
        var lastID = 0
        var alarms: [Int: (due: C.Instant, ring: @Sendable () -> Void)] = [:]
        /// When somebody wakes up, the earliest moment last.
        var wakeups: [C.Instant] = []

        /// Until when somebody must be sent to sleep for what is due, of which note is taken; nil when somebody wakes up before.
        mutating func wakeup(for due: C.Instant, from now: C.Instant) -> C.Instant? {
            let moment = min(due, now.advanced(by: Alarms.longestSleep))
            if let first = wakeups.last, first <= moment { return nil }
            wakeups.append(moment)
            return moment
        }
    }

    private static var longestSleep: Duration { .seconds(10) }

    private let clock: C
    private let state = Mutex(State())

    /// No alarms yet, measured by a clock.
    package init(_ clock: C) {
        self.clock = clock
    }

    /// Has `ring` called when `duration` has passed, unless the alarm is stopped before.
    package func set(in duration: Duration, _ ring: @escaping @Sendable () -> Void) -> Int {
        let now = clock.now
        let due = now.advanced(by: duration)
        let (id, wakeup) = state.withLock { state in
            state.lastID += 1
            state.alarms[state.lastID] = (due, ring)
            return (state.lastID, state.wakeup(for: due, from: now))
        }
        if let wakeup { wake(at: wakeup) }
        return id
    }

    /// Whether an alarm was stopped before it rang.
    package func stop(_ id: Int) -> Bool {
        state.withLock { $0.alarms.removeValue(forKey: id) != nil }
    }

    private func wake(at moment: C.Instant) {
        // Detached, because it serves others than the task that came first: its context is not theirs.
        Task.detached { [self] in
            // Nobody cancels it, so it does not throw before the time.
            try? await clock.sleep(until: moment, tolerance: nil)
            ring(moment)
        }
    }

    private func ring(_ moment: C.Instant) {
        let now = clock.now
        let (due, next) = state.withLock { state in
            state.wakeups.removeAll { $0 == moment }
            let due = state.alarms.filter { $0.value.due <= now }
            for id in due.keys { state.alarms[id] = nil }
            let next = state.alarms.values.map(\.due).min().flatMap { state.wakeup(for: $0, from: now) }
            return (due.values.map(\.ring), next)
        }
        for ring in due { ring() }
        if let next { wake(at: next) }
    }
}
