import Foundation

/// The name of a message, whose module has less weight.
struct MessageName {
    /// The module and a dot; empty for a name without a module.
    let module: String
    let text: String

    init(_ name: String) {
        let start = name.firstIndex(of: ".").map(name.index(after:)) ?? name.startIndex
        module = String(name[..<start])
        text = String(name[start...])
    }
}

struct MessageSection {
    struct Row {
        let time: String
        let name: MessageName
        let kind: String
        let duration: String
        /// The length of the duration's bar, from 1 to 100; each factor of ten from 1 µs adds 14.
        let bar: Int
        let failure: String?
        let trace: String?

        init(_ record: MessageRecord) {
            time = InspectText.time(record.date)
            name = MessageName(record.name)
            kind = record.isCommand ? "command" : "query"
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

    init(_ log: MessageLog) {
        rows = log.records.map(Row.init)
        count = log.count
        limit = log.limit
    }
}
