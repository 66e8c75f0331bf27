/// What a request says of the media types that its sender can read (RFC 9110, section 12.5.1).
struct AcceptedTypes {
    private struct Range {
        let type: Substring
        let subtype: Substring
        let isExcluded: Bool

        var closeness: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1) }
    }

    /// Those that could be read; what breaks the grammar says nothing.
    private let ranges: [Range]

    init(_ fields: [String]) {
        ranges = fields.flatMap { field in
            field.split(separator: ",").compactMap { element -> Range? in
                let parts = element.split(separator: ";").map { $0.trimmed }
                guard let range = parts.first?.split(separator: "/", omittingEmptySubsequences: false),
                    range.count == 2,
                    !range[0].isEmpty, !range[1].isEmpty
                else { return nil }
                return Range(
                    type: range[0],
                    subtype: range[1],
                    isExcluded: parts.dropFirst().contains { $0.isWeightOfNothing }
                )
            }
        }
    }

    /// Whether content of a media type can be read: by the range that says most about it.
    func include(_ mediaType: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let essence = mediaType.prefix { $0 != ";" }.trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard essence.count == 2 else { return true }
        let fitting = ranges.filter { range in
            (range.type == "*" && range.subtype == "*")
                || (range.type.isSame(as: essence[0]) && (range.subtype == "*" || range.subtype.isSame(as: essence[1])))
        }
        let closest = fitting.map(\.closeness).max()
        return fitting.contains { $0.closeness == closest && !$0.isExcluded }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }

    fileprivate func isSame(as other: Substring) -> Bool {
        utf8.count == other.utf8.count && lowercased() == other.lowercased()
    }

    /// `q=0`, with as many decimals as one likes.
    fileprivate var isWeightOfNothing: Bool {
        let parts = split(separator: "=", maxSplits: 1).map { $0.trimmed }
        guard parts.count == 2, parts[0].isSame(as: "q"), parts[1].utf8.first == UInt8(ascii: "0") else { return false }
        return parts[1].allSatisfy { $0 == "0" || $0 == "." }
    }
}
