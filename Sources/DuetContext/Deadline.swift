/// The moment by which a piece of work must be done, by the clock that it was made with.
public struct Deadline: Sendable {
    private let timeLeft: @Sendable () -> Duration

    /// A deadline that lies `duration` from now.
    public init<C: Clock>(in duration: Duration, clock: C = ContinuousClock()) where C.Duration == Duration {
        let end = clock.now.advanced(by: duration)
        timeLeft = { clock.now.duration(to: end) }
    }

    /// How long there is still to go; negative when the deadline has passed.
    public var remaining: Duration { timeLeft() }
}
