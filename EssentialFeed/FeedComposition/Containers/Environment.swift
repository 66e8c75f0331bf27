import Duet
public import DuetDependencies
import FeedFeature
public import Foundation
public import Logging

/// What the application takes from outside: the time, chance, and a log.
///
/// This is the one place where the application asks for the real time, and for what nobody can foresee.
public struct Environment: Sendable {
    /// The current time.
    public let now: @Sendable () -> Date

    /// What days are counted in.
    public let calendar: Calendar

    /// What durations are measured by.
    public let clock: any Clock<Duration>

    /// Makes ids for what is new.
    public let newID: @Sendable () -> UUID

    /// Where secrets come from: a generator fit for cryptography.
    public let generator: any RandomNumberGenerator & Sendable

    /// Where failures go that are not shown.
    public let logger: Logger

    /// Makes an environment of its parts; the real clocks and real chance unless told otherwise.
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

extension Environment: ContainerModule {
    /// Registers `CurrentDate`, `Calendar`, `any Clock<Duration>` and `Logger`, and has each message logged.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [now] in CurrentDate(now) }
        builder.singleton { [calendar] in calendar }
        builder.singleton { [clock] in clock }
        builder.singleton { [logger] in logger }
        let logging = LoggingMiddleware(clock: clock) { [logger] event in
            logger.debug("\(event.message) took \(event.duration)\(event.error.map { ": \($0)" } ?? "")")
        }
        builder.commandQueryDispatch().standard(middleware: [logging])
    }
}
