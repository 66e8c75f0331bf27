public import Duet
public import Logging

extension Dispatcher {
    /// Returns this dispatcher with log entries: at `level` for a message that was handled or canceled, and as an error
    /// for one that failed.
    ///
    /// An entry has the message's name, its duration, and its error as metadata, and `update` for a new value of an
    /// observed query. It has no content of the message except in the error's description: errors of `DuetHTTP` include
    /// the request's path with its values.
    public func logging(
        to logger: Logger,
        level: Logger.Level = .debug,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> some Dispatcher {
        with(LoggingMiddleware(to: logger, level: level, clock: clock))
    }
}

extension LoggingMiddleware {
    /// Creates middleware that writes log entries, as ``Duet/Dispatcher/logging(to:level:clock:)`` describes.
    public init(to logger: Logger, level: Logger.Level = .debug, clock: any Clock<Duration> = ContinuousClock()) {
        self.init(clock: clock) { event in
            var metadata: Logger.Metadata = ["message": "\(event.message)", "duration": "\(event.duration.text)"]
            if event.isUpdate { metadata["update"] = "true" }
            switch event.error {
            case nil:
                logger.log(level: level, "handled", metadata: metadata)
            case .some(let error):
                metadata["error"] = "\("\(error)".safe())"
                let isCancellation = error is CancellationError
                logger.log(
                    level: isCancellation ? level : .error,
                    isCancellation ? "canceled" : "failed",
                    metadata: metadata
                )
            }
        }
    }
}
