extension Clock where Duration == Swift.Duration {
    /// Starts now; the function returned says how much time has passed since.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
