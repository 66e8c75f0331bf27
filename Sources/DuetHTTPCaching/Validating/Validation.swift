import DuetHTTP
package import HTTPTypes

/// Asking the origin whether what is stored still holds (RFC 9111, section 4.3).
package struct Validation: Sendable, Hashable {
    package let reason: ForwardReason
    /// What the answer may turn out to confirm.
    package let stored: StoredResponse
    /// What to send: the client's request with the stored validators, or as it came when there are none.
    package let request: HTTPRequest
    /// What the client sent.
    package let original: HTTPRequest

    /// Of a response that fits the request.
    ///
    /// The tags of other variants are not sent, as section 4.1 lets a cache do: origins that make the tag before they compress
    /// would confirm one that the client cannot read.
    package init(of stored: StoredResponse, for request: HTTPRequest, reason: ForwardReason) {
        self.reason = reason
        self.stored = stored
        original = request
        var conditional = request
        let lastModified = stored.response.headerFields[values: .lastModified].first
        if stored.hasValidator {
            for name in Self.conditions { conditional.headerFields[name] = nil }
            conditional.headerFields[fields: .ifNoneMatch] =
                stored.fields.entityTag.map { [$0.field(.ifNoneMatch)] } ?? []
            conditional.headerFields[.ifModifiedSince] = lastModified
        }
        self.request = conditional
    }

    /// What a validation replaces of the client's own conditions.
    static let conditions: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince]
}

extension StoredResponse {
    /// Whether a validation asks about it, and not for what the client has.
    var hasValidator: Bool { fields.entityTag != nil || response.headerFields.contains(.lastModified) }
}
