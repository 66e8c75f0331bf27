public import CoreMetrics
public import Duet
import Metrics
import Synchronization

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
    private let timers: MessageTimers?
    private let clock: any Clock<Duration>

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - factory: Creates the metrics; nil for the factory of the process or current task. As long as there is none,
    ///     each dispatch looks for one.
    ///   - clock: Measures the durations.
    public init(_ factory: (any MetricsFactory)? = nil, clock: any Clock<Duration> = ContinuousClock()) {
        timers = MessageTimers(factory ?? MetricsSystem.factory)
        self.clock = clock
    }

    /// Dispatches the message and records its duration.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        guard !next.isUpdate, let timers = timers ?? MessageTimers(MetricsSystem.factory) else {
            return try await next.dispatch(message)
        }
        let elapsed = clock.stopwatch()
        var error = ""
        defer { timers.timer(of: M.self, error: error).record(duration: elapsed()) }
        do {
            return try await next.dispatch(message)
        } catch let failure {
            error = errorType(of: failure)
            throw failure
        }
    }
}

/// The timers of messages, made once for each outcome.
private final class MessageTimers: Sendable {
    private let factory: any MetricsFactory
    private let timers = Mutex<[ObjectIdentifier: [String: Timer]]>([:])

    /// Creates no timers without a metrics library.
    init?(_ factory: any MetricsFactory) {
        if factory is NOOPMetricsHandler { return nil }
        self.factory = factory
    }

    func timer<M: Message>(of message: M.Type, error: String) -> Timer {
        timers.withLock { timers in
            if let timer = timers[ObjectIdentifier(message)]?[error] { return timer }
            let dimensions = [
                ("duet.message", M.messageName), ("duet.message.kind", M.kindName), ("error.type", error),
            ]
            let timer = durations("duet.message.duration", dimensions, factory)
            timers[ObjectIdentifier(message), default: [:]][error] = timer
            return timer
        }
    }
}

extension Dispatcher {
    /// Returns this dispatcher with metrics of each message; a nil `factory` is described in
    /// ``MessageMeasuringMiddleware/init(_:clock:)``.
    public func measuring(
        _ factory: (any MetricsFactory)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> some Dispatcher {
        with(MessageMeasuringMiddleware(factory, clock: clock))
    }
}

func durations(_ label: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) -> Timer {
    Timer(label: label, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
}
