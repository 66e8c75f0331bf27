import Logging

/// Writes log messages to standard error as plain sentences, without times and sources.
struct PlainLogHandler: LogHandler {
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Terminal.note("\(event.level >= .error ? "Failure" : "Warning"): \(event.message)", .yellow)
    }
}
