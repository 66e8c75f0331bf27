import DuetHTTP
package import HTTPTypes

extension Fetch {
    /// Asks the origin whether a stored response that matches the request is still valid (RFC 9111, section 4.3).
    ///
    /// The tags of other variants are not sent, although section 4.1 lets a cache do so. Some origins create the tag
    /// before they compress, and would confirm a variant that the client cannot read.
    package init(validating stored: StoredResponse, for request: HTTPRequest, reason: ForwardReason) {
        var conditional = request
        if stored.hasValidator {
            for name in Self.conditions { conditional.headerFields[name] = nil }
            conditional.headerFields[fields: .ifNoneMatch] =
                stored.fields.entityTag.map { [$0.field(.ifNoneMatch)] } ?? []
            conditional.headerFields[.ifModifiedSince] = stored.response.headerFields[values: .lastModified].first
        }
        self.init(request, reason: reason, sending: conditional, basis: .validate(stored))
    }

    /// Validates a stored response after it was served stale (RFC 5861, section 3).
    ///
    /// The client's own conditions and range concern its response alone, and are left out.
    package init(revalidating stored: StoredResponse, for request: HTTPRequest) {
        var request = request
        for name in Self.conditions + [.range, .ifRange] { request.headerFields[name] = nil }
        request.method = stored.method
        self.init(validating: stored, for: request, reason: .stale)
    }

    /// The client's conditions that a validation replaces.
    static let conditions: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince]

    /// Whether the client's own request has a condition that a 304 may be about.
    var hasOwnCondition: Bool { Self.conditions.contains(where: original.headerFields.contains) }

    /// Sections 4.3.3 and 4.3.4.
    func interpret(
        _ response: HTTPResponse,
        validating stored: StoredResponse,
        at times: ExchangeTimes,
        by policy: HTTPCachePolicy
    ) -> Interpretation {
        if StatusCode.isFailure(response.status.code) { return .failed }
        guard response.status == .notModified else { return .replaced }
        // Without a stored validator the cache has sent no condition, and the 304 is about the client's.
        guard stored.isConfirmed(by: response, at: times), stored.hasValidator || !hasOwnCondition else {
            return .unusable
        }
        return policy.freshened(stored, by: response, at: times, selectedBy: original).map(Interpretation.confirmed)
            ?? .unusable
    }
}

extension StoredResponse {
    /// Whether a validation asks about this response, and not about the one that the client has.
    var hasValidator: Bool { fields.entityTag != nil || response.headerFields.contains(.lastModified) }

    /// Whether a 304 has the stored validator, a strong one if it is strong, or none at all.
    ///
    /// The last goes beyond section 4.3.4 where a validator is stored, because section 15.4.5 of RFC 9110 does not
    /// require origins to repeat `Last-Modified`.
    fileprivate func isConfirmed(by response: HTTPResponse, at times: ExchangeTimes) -> Bool {
        let new = CachingFields(response.headerFields, received: times.received)
        if let tag = new.entityTag {
            return fields.entityTag.map { tag.isWeak ? $0.matchesWeakly(tag) : $0.matchesStrongly(tag) } ?? false
        }
        // An unreadable tag confirms nothing. Where the stored one is unreadable too, dates decide.
        if response.headerFields.contains(.eTag),
            fields.entityTag != nil || !self.response.headerFields.contains(.eTag)
        {
            return false
        }
        return new.lastModified.map { $0 == fields.lastModified } ?? true
    }
}
