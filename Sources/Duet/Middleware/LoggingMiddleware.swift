/// Reports to a closure how each dispatch ended and how long it took.
///
/// The closure receives the message's name, never its content, which may be secret. It runs as part of the dispatch: a
/// slow closure slows the message down.
public struct LoggingMiddleware: Middleware {
    private let clock: any Clock<Duration>
    private let log: @Sendable (DispatchEvent) -> Void

    /// Creates the middleware with the clock that measures durations.
    public init(clock: any Clock<Duration> = ContinuousClock(), log: @escaping @Sendable (DispatchEvent) -> Void) {
        self.clock = clock
        self.log = log
    }

    /// Dispatches the message and logs the outcome.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        let elapsed = clock.stopwatch()
        do {
            let value = try await next.dispatch(message)
            log(DispatchEvent(message: M.messageName, duration: elapsed(), error: nil))
            return value
        } catch {
            log(DispatchEvent(message: M.messageName, duration: elapsed(), error: error))
            throw error
        }
    }
}

extension Middleware where Self == LoggingMiddleware {
    /// Reports to `log` how each dispatch ended and how long it took.
    public static func logging(
        clock: any Clock<Duration> = ContinuousClock(),
        log: @escaping @Sendable (DispatchEvent) -> Void
    ) -> Self {
        LoggingMiddleware(clock: clock, log: log)
    }
}

/// The outcome of one dispatch.
public struct DispatchEvent: Sendable {
    /// The name of the message, computed on demand.
    public var message: String { name() }

    /// The time from the dispatch to its end.
    public let duration: Duration

    /// The error of a failed dispatch, or nil.
    public let error: (any Error)?

    private let name: @Sendable () -> String

    init(message: @escaping @autoclosure @Sendable () -> String, duration: Duration, error: (any Error)?) {
        name = message
        self.duration = duration
        self.error = error
    }
}

extension Clock where Duration == Swift.Duration {
    /// Starts measuring, and returns a function that reports the elapsed time.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
