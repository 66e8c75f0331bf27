import DuetHTTP
package import HTTPTypes

extension Validation {
    /// What the answer to ``request`` means for what is stored (RFC 9111, sections 4.3.3 and 4.3.4).
    package func receive(_ answer: HTTPResponse, at times: ExchangeTimes, by policy: HTTPCachePolicy)
        -> ValidationResult
    {
        if StatusCode.isFailure(answer.status.code) { return .failed }
        guard answer.status == .notModified else { return .replaced }
        // Without validators of its own the cache has asked nothing, and the condition is the client's.
        guard isConfirmed(by: answer, at: times), stored.hasValidator || !isConditional(original) else {
            return .unmatched
        }
        return policy.freshened(stored, by: answer, at: times, selectedBy: original).map(ValidationResult.freshened)
            ?? .unmatched
    }

    /// Whether the answer has the stored validator, a strong one if it is strong, or says nothing.
    ///
    /// The last goes beyond section 4.3.4 when what is stored has a validator, because section 15.4.5 of RFC 9110 does not
    /// have origins repeat `Last-Modified`.
    private func isConfirmed(by answer: HTTPResponse, at times: ExchangeTimes) -> Bool {
        let fields = CachingFields(answer.headerFields, received: times.received)
        if let tag = fields.entityTag {
            return stored.fields.entityTag.map { tag.isWeak ? $0.matchesWeakly(tag) : $0.matchesStrongly(tag) } ?? false
        }
        // A tag that cannot be told from others is none that was asked about; where the stored one is such, dates decide.
        if answer.headerFields.contains(.eTag),
            stored.fields.entityTag != nil || !stored.response.headerFields.contains(.eTag)
        {
            return false
        }
        return fields.lastModified.map { $0 == stored.fields.lastModified } ?? true
    }

    private func isConditional(_ request: HTTPRequest) -> Bool {
        Self.conditions.contains(where: request.headerFields.contains)
    }
}
