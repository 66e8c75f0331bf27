public import Duet
public import Logging

extension Middleware where Self == LoggingMiddleware {
    /// Logs the outcome of each message, at `level` if it was handled or canceled and as an error if it failed.
    ///
    /// The entry has the message's name, its duration, and its error as metadata. It has no content of the message
    /// except in the error's description: errors of `DuetHTTP` include the request's path with its values.
    public static func logging(
        to logger: Logger,
        level: Logger.Level = .debug,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        .logging(clock: clock) { event in
            var metadata: Logger.Metadata = ["message": "\(event.message)", "duration": "\(event.duration.text)"]
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
