import FeedServing
import Foundation

/// The name of a message, whose module has less weight.
struct MessageName: Sendable {
    /// The module and a dot; empty for a name without a module.
    let module: String
    let text: String

    init(_ name: String) {
        let start = name.firstIndex(of: ".").map(name.index(after:)) ?? name.startIndex
        module = String(name[..<start])
        text = String(name[start...])
    }
}

/// A horizontal bar of parts of a whole, as the template draws it.
struct ShareBar {
    struct Part {
        /// The class of the part's color.
        let kind: String
        let label: String
        let count: Int
        let percent: String
        /// In percent of the width, with two digits after the point.
        let start: String
        let width: String
    }

    let parts: [Part]
    let isEmpty: Bool
    /// The parts in words.
    let summary: String

    init(_ counts: [(kind: String, label: String, count: Int)]) {
        let total = counts.reduce(0) { $0 + $1.count }
        var sum = 0
        parts = counts.filter { $0.count > 0 }.map { kind, label, count in
            defer { sum += count }
            return Part(
                kind: kind,
                label: label,
                count: count,
                percent: InspectText.percent(Double(count) / Double(total)),
                start: Self.width(sum, of: total),
                width: Self.width(count, of: total)
            )
        }
        isEmpty = total == 0
        summary = parts.map { "\($0.percent) \($0.label)" }.joined(separator: ", ")
    }

    static func width(_ count: Int, of total: Int) -> String {
        let hundredths = total == 0 ? 0 : Int((Double(count) / Double(total) * 10_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}

/// The last messages.
struct MessageSection {
    struct Row {
        let number: Int
        let time: String
        let name: MessageName
        let kind: String
        let source: String
        let sourceKind: String
        let duration: String
        /// The length of the duration's bar, from 1 to 100; each factor of ten from 1 µs adds 14.
        let bar: Int
        let failure: String?
        let trace: String?

        init(_ record: MessageRecord) {
            number = record.number
            time = InspectText.time(record.date)
            name = MessageName(record.name)
            kind = record.isCommand ? "command" : "query"
            source = record.source?.label ?? "nowhere"
            sourceKind = record.source?.rawValue ?? "none"
            duration = InspectText.duration(record.duration)
            let microseconds = max(1, record.duration / .microseconds(1))
            bar = min(100, max(1, Int(14 * log10(microseconds))))
            failure = record.failure
            trace = record.traceID.map { String($0.prefix(8)) }
        }
    }

    let rows: [Row]
    let count: Int
    let limit: Int
    let bar: ShareBar

    init(_ log: MessageLog) {
        let records = log.records
        rows = records.map(Row.init)
        count = log.count
        limit = log.limit
        bar = ShareBar(
            MessageSource.allCases.map { source in
                (source.rawValue, source.label, records.count { $0.source == source })
            } + [("none", "failed", records.count { $0.source == nil })]
        )
    }
}

extension MessageSource {
    fileprivate var label: String {
        switch self {
        case .memory: "memory"
        case .store: "store"
        case .server: "server"
        case .process: "in process"
        case .queue: "queue"
        }
    }
}
