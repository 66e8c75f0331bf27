/// Tells a hook how each message went and how long it took.
///
/// The hook is given the message's name, never its content, which may be secret. It runs within the dispatch: a slow
/// hook slows the message down.
public struct LoggingMiddleware: Middleware {
    private let clock: any Clock<Duration>
    private let log: @Sendable (DispatchEvent) -> Void

    /// Makes a hook, with the clock that durations are measured by.
    public init(clock: any Clock<Duration> = ContinuousClock(), log: @escaping @Sendable (DispatchEvent) -> Void) {
        self.clock = clock
        self.log = log
    }

    /// Dispatches the command and logs how that went.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        let elapsed = clock.stopwatch()
        do {
            try await next.dispatch(command)
            log(DispatchEvent(message: C.messageName, duration: elapsed(), error: nil))
        } catch {
            log(DispatchEvent(message: C.messageName, duration: elapsed(), error: error))
            throw error
        }
    }

    /// Dispatches the query and logs how that went.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        let elapsed = clock.stopwatch()
        do {
            let value = try await next.dispatch(query)
            log(DispatchEvent(message: Q.messageName, duration: elapsed(), error: nil))
            return value
        } catch {
            log(DispatchEvent(message: Q.messageName, duration: elapsed(), error: error))
            throw error
        }
    }
}

extension Middleware where Self == LoggingMiddleware {
    /// Tells `log` how each message went and how long it took.
    public static func logging(
        clock: any Clock<Duration> = ContinuousClock(),
        log: @escaping @Sendable (DispatchEvent) -> Void
    ) -> Self {
        LoggingMiddleware(clock: clock, log: log)
    }
}
