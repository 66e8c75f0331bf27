import Duet

/// The timers of a cluster, and the time since its creation, on any clock.
struct ClusterTimers: Sendable {
    /// Returns the time since the creation.
    let elapsed: @Sendable () -> Duration

    /// Calls a function after a duration, and returns the identifier of the timer.
    let schedule: @Sendable (_ delay: Duration, _ fire: @escaping @Sendable () -> Void) -> Int

    let cancel: @Sendable (_ id: Int) -> Void

    init(_ clock: any Clock<Duration>) {
        self.init(of: clock)
    }

    private init<C: Clock>(of clock: C) where C.Duration == Duration {
        let start = clock.now
        let queue = TimerQueue(clock)
        elapsed = { start.duration(to: clock.now) }
        schedule = { queue.schedule(after: $0, $1) }
        cancel = { _ = queue.cancel($0) }
    }
}
