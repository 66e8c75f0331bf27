import Duet
import Foundation
import Logging
import Synchronization

/// Writes log messages to standard error, each as one line without control characters.
///
/// A line has the time, the level, the message, its error and the other values of its call, and for the request of a
/// server the ids of the request and its trace. Outside of requests, the same line is written once in a minute.
struct PlainLogHandler: LogHandler {
    /// The last line, of all loggers that are copies of one.
    private final class LastLine: Sendable {
        let line = Mutex((text: "", date: Date.distantPast))
    }

    private let last = LastLine()
    /// Also for lines that are logged outside of the command's task.
    private let settings = TerminalSettings.current
    private let now: @Sendable () -> Date
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(now: @escaping @Sendable () -> Date, metadataProvider: Logger.MetadataProvider?) {
        self.now = now
        self.metadataProvider = metadataProvider
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // The steps of starting and stopping are of interest to developers of frameworks only.
        guard event.level >= .warning || event.source != "ServiceLifecycle" else { return }
        let values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        let ids = [("request", "hb.request.id"), ("trace", "trace_id")]
            .compactMap { name, key in values[key].map { "\(name) \($0)".safe(upTo: 100) } }
        let details = event.safeMetadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } + ids
        let end = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        let text = "\(event.level): \("\(event.message)".safe(upTo: 1_000))\(end)"
        let date = now()
        let isRepeated = last.line.withLock { last in
            guard last.text != text || date.timeIntervalSince(last.date) > 60 else { return true }
            last = (text, date)
            return false
        }
        guard !isRepeated || !ids.isEmpty else { return }
        let line = "\(date.formatted(.iso8601)) \(text)"
        TerminalSettings.$current.withValue(settings) {
            Terminal.note(line, event.level >= .warning ? .yellow : nil)
        }
    }
}

extension LogEvent {
    /// The error and the values of the call, without those that describe a framework's own objects.
    fileprivate var safeMetadata: [String: String] {
        var values = (metadata ?? [:]).filter { !$0.key.hasPrefix("sl-") }
            .map { ($0.key.replacing("hb.request.", with: ""), "\($0.value)".safe(upTo: 500)) }
        if let error { values.append(("error", "\(error)".safe(upTo: 500))) }
        return Dictionary(values) { $1 }
    }
}
