/// The moment by which work must be done, on a given clock.
public struct Deadline: Sendable {
    package let clock: any Clock<Duration>

    /// Whether a caller already has a timer that cancels the work at this moment.
    package private(set) var isEnforced = false

    private let timeLeft: @Sendable () -> Duration

    package init(in duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
        timeLeft = Self.countdown(from: duration, on: clock)
    }

    private static func countdown<C: Clock>(from duration: Duration, on clock: C) -> @Sendable () -> Duration
    where C.Duration == Duration {
        let end = clock.now.advanced(by: duration)
        return { clock.now.duration(to: end) }
    }

    /// The time that is left; negative after the deadline.
    public var remaining: Duration { timeLeft() }

    /// The same deadline, for work that its caller cancels at that moment, so that it needs no second timer.
    package var enforced: Deadline {
        var deadline = self
        deadline.isEnforced = true
        return deadline
    }
}
