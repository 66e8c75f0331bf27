package import HTTPTypes

/// Asking the origin whether what is stored still holds (RFC 9111, section 4.3).
package struct Validation: Sendable, Hashable {
    package let reason: ForwardReason
    /// What the answer may turn out to confirm; the one that fits the request is the first.
    package let candidates: [StoredResponse]
    /// The one that fits the request; nil when the candidates were selected by other fields.
    package let selected: StoredResponse?
    /// What to send: the client's request with the validators of the candidates, or as it came when they have none.
    package let request: HTTPRequest
    /// What the client sent.
    package let original: HTTPRequest

    /// Of one that fits the request.
    package init(of stored: StoredResponse, for request: HTTPRequest, reason: ForwardReason) {
        self.reason = reason
        candidates = [stored]
        selected = stored
        original = request
        var conditional = request
        let lastModified = stored.response.headerFields[values: .lastModified].first
        if stored.fields.entityTag != nil || lastModified != nil {
            for name in Self.conditions { conditional.headerFields[name] = nil }
            conditional.headerFields[.ifNoneMatch] = stored.fields.entityTag?.text
            conditional.headerFields[.ifModifiedSince] = lastModified
        }
        self.request = conditional
    }

    /// Of several with tags, none of which fits the request: the origin tells which one does (section 4.1).
    ///
    /// Nil when there are none, and for a request with conditions or a range of its own.
    init?(ofOthers stored: [StoredResponse], for request: HTTPRequest) {
        let tagged = stored.filter { $0.fields.entityTag != nil && $0.isWhole && !$0.selection.isUnmatchable }
            .sorted { $0.isMoreRecent(than: $1) }
            .prefix(Self.limit)
        guard !tagged.isEmpty, !Self.conditions.contains(where: request.headerFields.contains),
            !request.headerFields.contains(.range), request.method == .get
        else { return nil }
        reason = .varyMiss
        candidates = Array(tagged)
        selected = nil
        original = request
        var conditional = request
        var tags: [String] = []
        for tag in tagged.compactMap(\.fields.entityTag?.text) where !tags.contains(tag) { tags.append(tag) }
        conditional.headerFields[.ifNoneMatch] = tags.joined(separator: ", ")
        self.request = conditional
    }

    /// So many tags that their field stays short.
    private static let limit = 16

    /// What a validation replaces of the client's own conditions.
    static let conditions: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince]
}

extension StoredResponse {
    fileprivate var isWhole: Bool {
        if case .whole = content { true } else { false }
    }
}
