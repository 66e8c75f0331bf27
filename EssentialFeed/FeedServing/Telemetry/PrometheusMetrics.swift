package import CoreMetrics
import Synchronization

/// Collects the metrics of a process, and renders them in the text format of Prometheus, version 0.0.4.
///
/// A counter's name ends with `_total`. A timer is a histogram in seconds, and its name ends with `_seconds`. Meters
/// and gauges are gauges. A recorder that aggregates is a summary without quantiles. Characters that Prometheus does
/// not allow in a name become underscores, and labels without a value are left out.
///
/// The combinations of labels are limited for each metric. Values of further combinations are added up in one series
/// with the label `overflow`, so that a sender who varies a label cannot fill the memory.
package final class PrometheusMetrics: MetricsFactory {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The bounds of a timer's buckets, in seconds: from an answer out of memory to a request that is too slow.
    private static let bounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The meaning of metrics whose names do not say it.
    private static let help = [
        "http.server.request.duration": "Time until the response is made, or until a stream begins, in seconds.",
        "http.server.active_requests": "Requests without a response, and open streams.",
    ]

    private let families = Mutex<[String: Family]>([:])
    private let seriesLimit: Int

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - seriesLimit: The number of combinations of labels for each metric.
    package init(seriesLimit: Int = 500) {
        self.seriesLimit = seriesLimit
    }

    /// All metrics, in the order of their names.
    package var text: String {
        families.withLock { $0.values.sorted { $0.name < $1.name } }.map(\.text).joined()
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        number(label, suffix: "_total", .counter, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        number(label, .gauge, dimensions)
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return number(label, .gauge, dimensions) }
        return series(label, suffix: "", "Values of \(label).", .summary, dimensions) { DistributionSeries(bounds: []) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, suffix: "_seconds", "Durations of \(label), in seconds.", .histogram, dimensions) {
            DistributionSeries(bounds: Self.bounds)
        }
    }

    // A scraper must find a series also when the program has released its metric.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func number(
        _ label: String,
        suffix: String = "",
        _ kind: Family.Kind,
        _ dimensions: [(String, String)]
    ) -> NumberSeries {
        series(label, suffix: suffix, "\(kind == .counter ? "Number" : "Value") of \(label).", kind, dimensions) {
            NumberSeries()
        }
    }

    private func series<S: Series>(
        _ label: String,
        suffix: String,
        _ help: String,
        _ kind: Family.Kind,
        _ dimensions: [(String, String)],
        make: () -> S
    ) -> S {
        var name = label.metricName
        if !name.hasSuffix(suffix) { name += suffix }
        let labels = SeriesLabels(dimensions)
        return families.withLock { families in
            var family = families[name] ?? Family(name: name, help: Self.help[label] ?? help, kind: kind)
            // Two metrics whose names differ only in their punctuation may have different kinds.
            guard family.kind == kind else { return make() }
            let key = family.series[labels] != nil || family.series.count < seriesLimit ? labels : .overflow
            if let known = family.series[key] as? S { return known }
            let series = make()
            family.series[key] = series
            families[name] = family
            return series
        }
    }
}

/// All series of one name.
private struct Family {
    enum Kind: String {
        case counter, gauge, histogram, summary
    }

    let name: String
    let help: String
    let kind: Kind
    var series: [SeriesLabels: any Series] = [:]

    var text: String {
        let lines = series.map { (labels: $0.key.text, series: $0.value) }
            .sorted { $0.labels < $1.labels }
            .flatMap { $0.series.lines(name: name, labels: $0.labels) }
        return (["# HELP \(name) \(help.escaped(quotes: false))", "# TYPE \(name) \(kind.rawValue)"] + lines)
            .map { $0 + "\n" }.joined()
    }
}

private struct SeriesLabels: Hashable {
    /// Stands for the combinations beyond the limit.
    static let overflow = SeriesLabels([("overflow", "true")])

    /// As in `name="value",other="value"`, in the order of the names.
    let text: String

    init(_ dimensions: [(String, String)]) {
        var labels: [String: String] = [:]
        for (name, value) in dimensions where !value.isEmpty {
            // The name of a histogram's own label.
            let name = name == "le" ? "exported_le" : name.metricName
            if labels[name] == nil { labels[name] = value }
        }
        text = labels.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\($0.value.escaped(quotes: true))\"" }.joined(separator: ",")
    }
}

extension String {
    /// This name in the characters of Prometheus: ASCII letters, digits and underscores, with no digit first.
    fileprivate var metricName: String {
        let name = String(decoding: utf8.map { $0.isNameByte ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        return name.first?.isNumber != false ? "_" + name : name
    }

    /// This text in a help line or, with escaped quotes, in the value of a label.
    fileprivate func escaped(quotes: Bool) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
