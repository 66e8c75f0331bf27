public import CoreMetrics
public import Duet
import Metrics

/// Measures the duration and outcome of each message; the values of observed queries are not measured.
///
/// Without a metrics library, messages are only forwarded.
///
/// ```swift
/// try router.mount(notesAPI, dispatcher.measuring().tracing())
/// ```
///
/// - `duet.message.duration`: a timer with the dimensions `duet.message`, `duet.message.kind` (`command` or `query`),
///   and `error.type`, which is empty for a message that was handled
public struct MessageMeasuringMiddleware: ValuePreservingMiddleware {
    private let factory: (any MetricsFactory)?
    private let clock: any Clock<Duration>

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - factory: Creates the metrics; nil for the factory of the process or task.
    ///   - clock: Measures the durations.
    public init(_ factory: (any MetricsFactory)? = nil, clock: any Clock<Duration> = ContinuousClock()) {
        self.factory = factory
        self.clock = clock
    }

    /// Dispatches the message and records its duration.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        let factory = factory ?? MetricsSystem.factory
        if next.isUpdate || factory is NOOPMetricsHandler { return try await next.dispatch(message) }
        let elapsed = clock.stopwatch()
        var error = ""
        defer {
            let dimensions = [
                ("duet.message", M.messageName), ("duet.message.kind", M.kindName), ("error.type", error),
            ]
            record(elapsed(), as: "duet.message.duration", dimensions, factory)
        }
        do {
            return try await next.dispatch(message)
        } catch let failure {
            error = errorType(of: failure)
            throw failure
        }
    }
}

extension Dispatcher {
    /// Returns this dispatcher with metrics of each message; `factory` is nil for the factory of the process or task.
    public func measuring(
        _ factory: (any MetricsFactory)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> some Dispatcher {
        with(MessageMeasuringMiddleware(factory, clock: clock))
    }
}

func record(_ duration: Duration, as label: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
    Timer(label: label, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory).record(
        duration: duration
    )
}
