public import Duet
public import Logging

extension Middleware where Self == LoggingMiddleware {
    /// Writes to a log how each message went: `level` for one that was handled or cancelled, an error for one that failed.
    ///
    /// The entry has the message's name, its duration and its error as metadata, and nothing of its content but what the
    /// error's description says: one of `DuetHTTP` has the request's path, which holds the values that stand there.
    public static func logging(
        to logger: Logger,
        level: Logger.Level = .debug,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        .logging(clock: clock) { event in
            var metadata: Logger.Metadata = ["message": "\(event.message)", "duration": "\(event.duration)"]
            switch event.error {
            case nil:
                logger.log(level: level, "handled", metadata: metadata)
            case .some(let error):
                metadata["error"] = "\(error)"
                let isCancellation = error is CancellationError
                logger.log(
                    level: isCancellation ? level : .error,
                    isCancellation ? "cancelled" : "failed",
                    metadata: metadata
                )
            }
        }
    }
}
