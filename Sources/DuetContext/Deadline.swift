/// The moment by which a piece of work must be done, by the clock that it was made with.
public struct Deadline: Sendable {
    /// What it is measured by.
    package let clock: any Clock<Duration>

    /// Whether somebody who is waited for already ends the work when the time is up.
    package private(set) var isKept = false

    private let timeLeft: @Sendable () -> Duration

    /// A deadline that lies `duration` from now.
    public init<C: Clock>(in duration: Duration, clock: C = ContinuousClock()) where C.Duration == Duration {
        let end = clock.now.advanced(by: duration)
        self.clock = clock
        timeLeft = { clock.now.duration(to: end) }
    }

    /// How long there is still to go; negative when the deadline has passed.
    public var remaining: Duration { timeLeft() }

    /// The same deadline for the work within, whose end its giver sees to: no second timer is needed for it there.
    package var kept: Deadline { keeping(true) }

    /// The same deadline for work that its giver need not be waited for, and does not end.
    package var unkept: Deadline { keeping(false) }

    private func keeping(_ isKept: Bool) -> Deadline {
        var deadline = self
        deadline.isKept = isKept
        return deadline
    }
}
