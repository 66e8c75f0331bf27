import DuetCaching

struct CacheSection {
    struct Reads {
        let name: MessageName
        let bar: ShareBar
        let ratio: String
        let evicted: Int
        let invalidations: Int

        init(_ name: String, _ counts: CacheStatistics) {
            self.name = MessageName(name)
            bar = ShareBar([
                ("memory", "fresh", counts.hits), ("store", "stale", counts.stale),
                ("process", "shared a load", counts.coalesced), ("server", "loaded", counts.misses),
            ])
            let reads = counts.hits + counts.stale + counts.coalesced + counts.misses
            ratio = reads == 0 ? "–" : InspectText.percent(Double(counts.hits + counts.stale) / Double(reads))
            evicted = counts.evicted
            invalidations = counts.invalidations
        }
    }

    struct Entry {
        let name: MessageName
        let age: String
        let isStale: Bool
        let state: String

        init(_ explanation: CacheExplanation) {
            name = MessageName(explanation.query)
            age = explanation.age.map(InspectText.duration) ?? ""
            isStale = explanation.source != .memory
            state = explanation.state
        }
    }

    private static let limit = 50

    let count: Int
    let reads: [Reads]
    let entries: [Entry]
    let rules: [String]

    init(_ cache: QueryCache) {
        count = cache.count
        reads = cache.statistics.sorted { $0.key < $1.key }.map { Reads($0.key, $0.value) }
        entries = cache.explanations(limit: Self.limit).map(Entry.init)
        rules = cache.rules.map { "\($0)" }
    }
}

extension CacheExplanation {
    /// Whether the value is fresh, and if not, why.
    fileprivate var state: String {
        if isInvalidated { return "stale: invalidated" }
        guard let remaining else { return source == .memory ? "fresh until invalidated" : "stale" }
        if remaining > .zero {
            let time = InspectText.duration(remaining)
            return source == .memory ? "fresh for \(time)" : "stale: not used for too long, or from the future"
        }
        return "stale: expired \(InspectText.duration(.zero - remaining)) ago"
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
