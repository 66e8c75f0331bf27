public import CoreMetrics
public import Duet

/// Measures how long each message took and how it ended.
///
/// - `duet.message.duration`, a timer by `duet.message`, `duet.message.kind` (`command` or `query`) and `error.type`, which is
///   empty for a message that was handled
public struct MessageMeasuringMiddleware: Middleware {
    private let factory: (any MetricsFactory)?
    private let clock: any Clock<Duration>

    /// Measures messages.
    ///
    /// - Parameters:
    ///   - factory: Makes the metrics; nil for the one that the process or the task has.
    ///   - clock: What durations are measured by.
    public init(_ factory: (any MetricsFactory)? = nil, clock: any Clock<Duration> = ContinuousClock()) {
        self.factory = factory
        self.clock = clock
    }

    /// Dispatches the command and measures it.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await measured(C.messageName, "command") { try await next.dispatch(command) }
    }

    /// Dispatches the query and measures it.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await measured(Q.messageName, "query") { try await next.dispatch(query) }
    }

    private func measured<Value>(
        _ message: String,
        _ kind: String,
        _ dispatch: () async throws -> Value
    ) async throws -> Value {
        let elapsed = clock.stopwatch()
        var error = ""
        defer {
            let dimensions = [("duet.message", message), ("duet.message.kind", kind), ("error.type", error)]
            record(elapsed(), as: "duet.message.duration", dimensions, factory ?? MetricsSystem.factory)
        }
        do {
            return try await dispatch()
        } catch let failure {
            error = errorType(of: failure)
            throw failure
        }
    }
}

extension Middleware where Self == MessageMeasuringMiddleware {
    /// Measures each message; `factory` is nil for the one that the process or the task has.
    public static func measuring(
        _ factory: (any MetricsFactory)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        MessageMeasuringMiddleware(factory, clock: clock)
    }
}
