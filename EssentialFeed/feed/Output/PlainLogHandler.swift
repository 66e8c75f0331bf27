import Duet
import Logging

/// Writes log messages to standard error as plain sentences, without times and sources.
///
/// Each is one line without control characters: the message, the error and the other values of its call, and for the
/// request of a server the ids of the request and its trace.
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
            .compactMap { name, key in values[key].map { "\(name) \($0)".safe(upTo: 100) } }
        let details = event.safeMetadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } + ids
        let end = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        let message = "\(event.message)".safe(upTo: 1_000)
        Terminal.note("\(event.level >= .error ? "Failure" : "Warning"): \(message)\(end)", .yellow)
    }
}

/// Forwards log messages without control characters, and with texts of limited length.
struct SafeLogHandler<Base: LogHandler>: LogHandler {
    var base: Base

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.metadata = event.safeMetadata.mapValues { .string($0) }
        event.error = nil
        event.message = Logger.Message(stringLiteral: "\(event.message)".safe())
        base.log(event: event)
    }
}

extension LogEvent {
    /// The error and the values of the call, without those that describe a framework's own objects.
    fileprivate var safeMetadata: [String: String] {
        var values = (metadata ?? [:]).filter { !$0.key.hasPrefix("sl-") }.mapValues { "\($0)".safe(upTo: 500) }
        if let error { values["error"] = "\(error)".safe(upTo: 500) }
        return values
    }
}
