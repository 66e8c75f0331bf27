import Logging

/// Writes log messages to standard error as plain sentences, without times and sources.
///
/// A message about the request of a server ends with the ids of the request and its trace.
struct PlainLogHandler: LogHandler {
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        let ids = [("request", "hb.request.id"), ("trace", "trace_id")]
            .compactMap { name, key in values[key].map { "\(name) \($0)" } }
        let request = ids.isEmpty ? "" : " (\(ids.joined(separator: ", ")))"
        Terminal.note("\(event.level >= .error ? "Failure" : "Warning"): \(event.message)\(request)", .yellow)
    }
}
