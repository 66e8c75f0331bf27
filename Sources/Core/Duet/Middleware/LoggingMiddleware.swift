/// Calls a closure with the outcome and the duration of each dispatch.
///
/// ```swift
/// let logged = dispatcher.logging { event in print(event.message, event.error ?? "succeeded") }
/// ```
///
/// The closure receives the message's name, never its content, which may be secret. The closure runs as part of the
/// dispatch, so a slow closure delays the message.
public struct LoggingMiddleware: ValuePreservingMiddleware {
    private let clock: any Clock<Duration>
    private let log: @Sendable (DispatchEvent) -> Void

    /// Creates the middleware of ``/Duet/Dispatcher/logging(clock:_:)``.
    public init(clock: any Clock<Duration> = ContinuousClock(), log: @escaping @Sendable (DispatchEvent) -> Void) {
        self.clock = clock
        self.log = log
    }

    /// Dispatches the message and logs the outcome.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        let elapsed = clock.stopwatch()
        do {
            let value = try await next.dispatch(message)
            log(DispatchEvent(message: M.messageName, duration: elapsed(), error: nil, isUpdate: next.isUpdate))
            return value
        } catch {
            log(DispatchEvent(message: M.messageName, duration: elapsed(), error: error, isUpdate: next.isUpdate))
            throw error
        }
    }
}

extension Dispatcher {
    /// Returns this dispatcher with a closure that receives the outcome and the duration of each dispatch.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures durations.
    ///   - log: Receives an event after each dispatch, and for each value of an observed query.
    public func logging(
        clock: any Clock<Duration> = ContinuousClock(),
        _ log: @escaping @Sendable (DispatchEvent) -> Void
    ) -> some Dispatcher {
        with(LoggingMiddleware(clock: clock, log: log))
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

    /// Whether this is a new value of an observed query, and no dispatch.
    public let isUpdate: Bool

    private let name: @Sendable () -> String

    init(
        message: @escaping @autoclosure @Sendable () -> String,
        duration: Duration,
        error: (any Error)?,
        isUpdate: Bool
    ) {
        name = message
        self.duration = duration
        self.error = error
        self.isUpdate = isUpdate
    }
}

extension Clock where Duration == Swift.Duration {
    /// Starts measuring, and returns a function that reports the elapsed time.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
