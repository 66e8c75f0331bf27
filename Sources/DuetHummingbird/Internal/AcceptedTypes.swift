import DuetHTTP

/// The media types that a client accepts (RFC 9110, section 12.5.1).
struct AcceptedTypes {
    private struct Range {
        let type: Substring
        let subtype: Substring
        let isExcluded: Bool

        var specificity: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1) }
    }

    /// The valid ranges; invalid ones are ignored.
    private let ranges: [Range]

    init(_ fields: [String]) {
        ranges = FieldList.weighted(fields).compactMap { value, weight in
            let parts = value.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
            return Range(type: parts[0], subtype: parts[1], isExcluded: weight == 0)
        }
    }

    /// Whether the client accepts content of a media type, by the most specific range that matches it.
    func include(_ mediaType: String) -> Bool {
        guard !ranges.isEmpty, let essence = MediaType(mediaType)?.essence.split(separator: "/") else { return true }
        let matches = ranges.filter { range in
            (range.type == "*" && range.subtype == "*")
                || (range.type == essence[0] && (range.subtype == "*" || range.subtype == essence[1]))
        }
        let specificity = matches.map(\.specificity).max()
        return matches.contains { $0.specificity == specificity && !$0.isExcluded }
    }
}
