/// A message's path, split into segments of literals and placeholders.
struct PathTemplate: Hashable {
    /// `compare`, `{id}`, `{id}.json` or `{base}...{head}`.
    struct Segment: Hashable {
        /// The percent-encoded texts around the placeholders, as in the template: one more than there are names.
        ///
        /// Alone and empty, it is a slash at the end.
        let literals: [String]

        /// The wire names of the properties that fill the segment.
        let names: [String]
    }

    let text: String
    let segments: [Segment]

    /// The wire names in braces, in order.
    let placeholders: [String]

    /// The faults of the template and how to correct them, one sentence each.
    let faults: [String]

    init(_ text: String) {
        self.text = text
        let parts = text.isEmpty ? [] : text.split(separator: "/", omittingEmptySubsequences: false)
        segments = parts.map(Segment.init)
        placeholders = segments.flatMap(\.names).filter { !$0.isEmpty }
        var (faults, known): ([String], Set<String>) = ([], [])
        for (index, (part, segment)) in zip(parts, segments).enumerated() {
            let isSlashAtEnd = part.isEmpty && index > 0 && index == parts.count - 1
            if !isSlashAtEnd, let fault = segment.fault(part) { faults.append(fault) }
            for name in segment.names where !known.insert(name).inserted {
                faults.append("{\(name)} occurs twice; a property has one place, so remove one of them")
            }
        }
        self.faults = faults
    }
}

extension PathTemplate.Segment {
    fileprivate init(_ text: Substring) {
        var (literals, names): ([String], [String]) = ([], [])
        var rest = text
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            literals.append(String(rest[..<start]))
            names.append(String(rest[rest.index(after: start)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        self.init(literals: literals + [String(rest)], names: names)
    }

    /// The text of a segment without placeholders.
    var literal: String? { names.isEmpty ? literals[0] : nil }

    var isPlaceholder: Bool { names.count == 1 && specificity == 0 }

    /// The number of bytes of the literals; a segment with more is matched first.
    var specificity: Int { names.isEmpty ? .max : literals.reduce(0) { $0 + $1.utf8.count } }

    /// The values in a segment of a path; nil if it does not match.
    ///
    /// Each value ends before the first occurrence of the literal behind it. None is empty. Only unreserved characters
    /// are decoded before, which means the same (RFC 3986, section 6.2.2.2).
    func values(in text: Substring) -> [String]? {
        guard let raw = PercentEncoding.decode(text, where: PercentEncoding.isUnreserved)?[...] else { return nil }
        let (first, last) = (literals[0].utf8, (literals.last ?? "").utf8)
        guard !names.isEmpty, raw.utf8.count > specificity, raw.utf8.starts(with: first),
            raw.utf8.suffix(last.count).elementsEqual(last)
        else { return nil }
        var values: [Substring] = []
        var rest = raw.utf8.dropFirst(first.count).dropLast(last.count)
        for literal in literals.dropFirst().dropLast() {
            let literal = literal.utf8
            let start = rest.indices.dropFirst().first { rest[$0...].starts(with: literal) }
            guard let start else { return nil }
            values.append(Substring(rest[..<start]))
            rest = rest[start...].dropFirst(literal.count)
        }
        guard !rest.isEmpty else { return nil }
        let decoded = (values + [Substring(rest)]).compactMap { PercentEncoding.decode($0) }
        return decoded.count == names.count ? decoded : nil
    }

    /// Whether a segment of a path can match both.
    fileprivate func overlaps(_ other: Self) -> Bool {
        switch (literal, other.literal) {
        case (let first?, let second?): return PercentEncoding.decode(first[...]) == PercentEncoding.decode(second[...])
        case (let literal?, nil): return other.values(in: Self.canonical(literal)[...]) != nil
        case (nil, let literal?): return values(in: Self.canonical(literal)[...]) != nil
        case (nil, nil):
            let (starts, ends) = ([self, other].map { $0.literals[0] }, [self, other].map { $0.literals.last ?? "" })
            return (starts[0].hasPrefix(starts[1]) || starts[1].hasPrefix(starts[0]))
                && (ends[0].hasSuffix(ends[1]) || ends[1].hasSuffix(ends[0]))
        }
    }

    fileprivate func fault(_ part: Substring) -> String? {
        if part.isEmpty { return "a segment is empty; leave out slashes at the start and doubled ones" }
        if names.contains("") { return "{} names no property; put the property's wire name in the braces" }
        if (names + literals).contains(where: { $0.contains { "{}".contains($0) } }) {
            return "“\(part)” has a brace without its other one; a placeholder has one pair, as in a/{id}/b"
        }
        if literals.dropFirst().dropLast().contains("") {
            return "“\(part)” has two placeholders with nothing between them; write a literal that separates them"
        }
        if part == "." || part == ".." {
            return "“\(part)” would be resolved away by clients; write the path that is meant"
        }
        if literals.contains(where: { $0.contains("?") || $0.contains("#") }) {
            return "“\(part)” begins a query or a fragment; properties become parameters of the query by themselves"
        }
        let isValid = literals.allSatisfy { literal in
            literal.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#""<>\^`|"#.utf8.contains($0) }
                && PercentEncoding.decode(literal[...]) != nil
        }
        guard isValid else {
            return "“\(part)” has characters that a path cannot have (RFC 3986); percent-encode them"
        }
        // Otherwise the same value could have two paths.
        guard let other = literals.first(where: { Self.canonical($0) != $0 }), !names.isEmpty else { return nil }
        return "“\(other)” beside a placeholder must be written as “\(Self.canonical(other))”"
    }

    /// A text as values are encoded.
    private static func canonical(_ literal: String) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.append(PercentEncoding.decode(literal[...]) ?? literal, inPath: true, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PathTemplate {
    /// Whether a server matches this template first (more than 0), the other one, or neither (0); nil if no path
    /// matches both, or if each one does.
    ///
    /// The first segment in which they differ decides.
    func precedence(over other: PathTemplate) -> Int? {
        guard segments.count == other.segments.count,
            zip(segments, other.segments).allSatisfy({ $0.overlaps($1) }),
            let (one, two) = zip(segments, other.segments)
                .first(where: { $0.literals != $1.literals && ($0.literal == nil || $1.literal == nil) })
        else { return nil }
        return one.specificity - two.specificity
    }
}
