/// Cancels a message that takes too long.
///
/// When the time is up, the handler is canceled. ``DispatchError/timedOut(message:after:)`` is thrown once the handler
/// has returned, because cancellation is cooperative in Swift and no work continues in the background. If the handler
/// completes anyway, its value is returned.
public struct TimeoutMiddleware: ValuePreservingMiddleware {
    private let duration: Duration
    private let clock: any Clock<Duration>

    /// Creates the middleware of ``/Duet/Dispatcher/timeout(_:clock:)``.
    public init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.duration = duration
        self.clock = clock
    }

    /// Dispatches the message and cancels it when the time is up.
    ///
    /// - Throws: ``DispatchError/timedOut(message:after:)`` when the message failed after the time was up; otherwise
    ///   the message's own error.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if next.isUpdate { return try await next.dispatch(message) }
        return try await withTimeout(
            duration,
            clock: clock,
            error: DispatchError.timedOut(message: M.messageName, after: duration)
        ) {
            try await next.dispatch(message)
        }
    }
}

extension Dispatcher {
    /// Returns this dispatcher with a limit: a message that takes longer than `duration` is canceled.
    public func timeout(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> some Dispatcher {
        with(TimeoutMiddleware(duration, clock: clock))
    }
}
