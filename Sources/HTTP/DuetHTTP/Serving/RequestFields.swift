import HTTPTypes

extension HTTPFields {
    /// How long the sender waits, in whole milliseconds, or nil for no limit.
    var timeout: Duration? {
        get throws(ServedResponse) {
            let values = self[values: .requestTimeout]
            guard let value = values.first else { return nil }
            guard values.count == 1, value.count <= 15, value.utf8.allSatisfy(FieldSyntax.isDigit),
                let milliseconds = Int64(value)
            else { throw ServedResponse(.badRequest, "Request-Timeout must be a whole number of milliseconds.") }
            return .milliseconds(milliseconds)
        }
    }

    /// The key that marks repeated requests as the same one, or nil without one.
    var idempotencyKey: String? {
        get throws(ServedResponse) {
            let values = self[values: .idempotencyKey]
            guard let value = values.first else { return nil }
            guard values.count == 1, (1...255).contains(value.utf8.count) else {
                throw ServedResponse(.badRequest, "Idempotency-Key must be given once, with 1 to 255 characters.")
            }
            return value
        }
    }

    /// - Throws: ``ServedResponse`` if the request has a precondition. Nothing checks it, and its sender must not
    ///   believe that it held.
    func checkAbsenceOfPreconditions() throws(ServedResponse) {
        let names: [HTTPField.Name] = [.ifMatch, .ifNoneMatch, .ifUnmodifiedSince]
        guard let name = names.first(where: contains) else { return }
        throw ServedResponse(.preconditionFailed, "\(name) cannot be checked for a command. Send it without.")
    }

    /// - Throws: ``ServedResponse`` if the content is compressed. A small request could become a large one, and bytes
    ///   that are stored as they are would lose their coding.
    func checkAbsenceOfContentCoding() throws(ServedResponse) {
        guard let coding = self[.contentEncoding], coding.lowercased() != "identity" else { return }
        // The field lists what is supported (RFC 9110, section 15.5.16).
        throw ServedResponse(
            .unsupportedMediaType,
            "The body must be sent without a Content-Encoding.",
            headers: [.acceptEncoding: "identity"]
        )
    }

    /// Whether the client asks for no more content than necessary (RFC 7240, section 4.2).
    var prefersMinimalContent: Bool {
        for preference in self[values: .prefer].flatMap({ FieldList.members(of: $0) }) {
            let parameters = FieldList.members(of: Array(preference), separator: FieldSyntax.semicolon)
            let text = parameters.first?.text.lowercased().filter { !" \t\"".contains($0) } ?? ""
            // Of repeated preferences, the first counts.
            if text.hasPrefix("return=") { return text == "return=minimal" }
        }
        return false
    }

    func checkAcceptance(of types: [String]) throws(ServedResponse) {
        // Most senders accept anything, or exactly this type.
        guard !types.isEmpty, let field = self[.accept], field != "*/*", field != types[0] else { return }
        let accepted = AcceptedTypes(self[values: .accept])
        guard !types.contains(where: { accepted.include($0) }) else { return }
        throw ServedResponse(.notAcceptable, "This is only available as \(types.joined(separator: " or ")).")
    }
}

// MARK: Content negotiation

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
