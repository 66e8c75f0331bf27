/// A message's path, split into literals and placeholders.
struct PathTemplate: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        /// Percent-encoded, as in the template; empty for a slash at the end.
        case literal(String)
        /// The wire name of the property that fills the segment.
        case placeholder(String)
    }

    let text: String
    let segments: [Segment]

    /// The wire names in braces, in order.
    let placeholders: [String]

    /// The faults of the template and how to correct them, one sentence each.
    let faults: [String]

    init(_ text: String) {
        self.text = text
        var faults: [String] = []
        var placeholders: [String] = []
        let parts = text.isEmpty ? [] : text.split(separator: "/", omittingEmptySubsequences: false)
        segments = parts.enumerated().map { index, part in
            if part.hasPrefix("{"), part.hasSuffix("}"), part.count > 2,
                !part.dropFirst().dropLast().contains(where: \.isBrace)
            {
                let name = String(part.dropFirst().dropLast())
                if placeholders.contains(name) {
                    faults.append("{\(name)} occurs twice; a property has one place, so remove one of them")
                }
                placeholders.append(name)
                return .placeholder(name)
            }
            let isSlashAtEnd = part.isEmpty && index > 0 && index == parts.count - 1
            if !isSlashAtEnd, let fault = Self.fault(part) { faults.append(fault) }
            return .literal(String(part))
        }
        self.placeholders = placeholders
        self.faults = faults
    }

    private static func fault(_ part: Substring) -> String? {
        if part.isEmpty { return "a segment is empty; leave out slashes at the start and doubled ones" }
        if part == "{}" { return "{} names no property; put the property's wire name in the braces" }
        if part.contains(where: \.isBrace) {
            return """
                “\(part)” is not a whole segment in one pair of braces; a placeholder fills its segment alone, as in \
                a/{id}/b
                """
        }
        if part == "." || part == ".." {
            return "“\(part)” would be resolved away by clients; write the path that is meant"
        }
        if part.contains("?") || part.contains("#") {
            return "“\(part)” begins a query or a fragment; properties become parameters of the query by themselves"
        }
        let isValid = part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#""<>\^`|"#.utf8.contains($0) }
        guard isValid, PercentEncoding.decode(part) != nil else {
            return "“\(part)” has characters that a path cannot have (RFC 3986); percent-encode them"
        }
        return nil
    }
}

extension Character {
    fileprivate var isBrace: Bool { self == "{" || self == "}" }
}
