/// Ends a message that takes too long.
///
/// When the time is up the handler is cancelled, and ``DispatchError/timedOut(message:after:)`` is thrown as soon as the
/// handler has ended: Swift's cancellation is cooperative, and no work goes on behind the caller's back. A handler that
/// finishes all the same has done its work, and its value is delivered.
public struct TimeoutMiddleware: Middleware {
    private let duration: Duration
    private let clock: any Clock<Duration>

    /// Makes a timeout of a duration, measured by a clock.
    public init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.duration = duration
        self.clock = clock
    }

    /// Dispatches the command and cancels it when the time is up.
    ///
    /// - Throws: ``DispatchError/timedOut(message:after:)`` when the command failed after that, else its own error.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await withTimeout(duration, clock: clock, error: timedOut(C.messageName)) {
            try await next.dispatch(command)
        }
    }

    /// Dispatches the query and cancels it when the time is up.
    ///
    /// - Throws: ``DispatchError/timedOut(message:after:)`` when the query failed after that, else its own error.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await withTimeout(duration, clock: clock, error: timedOut(Q.messageName)) {
            try await next.dispatch(query)
        }
    }

    private func timedOut(_ message: String) -> DispatchError {
        .timedOut(message: message, after: duration)
    }
}

extension Middleware where Self == TimeoutMiddleware {
    /// Ends a message that takes longer than `duration`.
    public static func timeout(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Self {
        TimeoutMiddleware(duration, clock: clock)
    }
}
