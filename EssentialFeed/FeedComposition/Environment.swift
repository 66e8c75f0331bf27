import Duet
public import DuetDependencies
import DuetTelemetry
import FeedFeature
import FeedServing
public import Foundation
public import Logging

/// The application's environment: time, randomness, and a logger.
///
/// No other part of the application reads the system's clocks or random numbers.
public struct Environment: Sendable {
    /// The current time.
    public let now: @Sendable () -> Date

    /// The calendar in which days are counted.
    public let calendar: Calendar

    /// The clock that measures durations.
    public let clock: any Clock<Duration>

    /// Creates new ids.
    public let newID: @Sendable () -> UUID

    /// The cryptographic generator of secrets.
    public let generator: any RandomNumberGenerator & Sendable

    /// The logger for failures that are not shown.
    public let logger: Logger

    /// Creates an environment; by default with real clocks and real randomness.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        calendar: Calendar = .current,
        clock: any Clock<Duration> = ContinuousClock(),
        newID: @escaping @Sendable () -> UUID = { UUID() },
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        logger: Logger
    ) {
        self.now = now
        self.calendar = calendar
        self.clock = clock
        self.newID = newID
        self.generator = generator
        self.logger = logger
    }
}

extension Environment {
    /// Returns a new random token of 128 bits, in hexadecimal digits.
    public func newToken() -> String {
        var generator = generator
        return generator.hexadecimal(16)
    }
}

extension Environment: ContainerModule {
    /// Registers `CurrentDate`, `NewID`, `Calendar`, `any Clock<Duration>` and `Logger`, and traces and measures each
    /// message, and logs it if the logger's level is `debug` at most.
    ///
    /// Spans and metrics go to the systems of the process, which ``Telemetry`` sets up.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [now] in CurrentDate(now) }
        builder.singleton { [newID] in NewID(newID) }
        builder.singleton { [calendar] in calendar }
        builder.singleton { [clock] in clock }
        builder.singleton { [logger] in logger }
        builder.middleware(MessageTracingMiddleware())
        builder.middleware { (clock: any Clock<Duration>) in MessageMeasuringMiddleware(clock: clock) }
        // Otherwise there is nothing to log.
        guard logger.logLevel <= .debug else { return }
        builder.middleware { (clock: any Clock<Duration>, logger: Logger) in
            LoggingMiddleware(clock: clock) { event in
                logger.debug("\(event.message) took \(event.duration)\(event.error.map { ": \($0)" } ?? "")")
            }
        }
    }
}

extension Logger.MetadataProvider {
    /// Identifies the request and the span for which a line is logged: `hb.request.id`, `trace_id` and `span_id`.
    public static var requests: Logger.MetadataProvider { .request }
}
