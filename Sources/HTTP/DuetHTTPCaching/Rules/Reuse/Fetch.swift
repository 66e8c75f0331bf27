import DuetHTTP
package import HTTPTypes

/// A request to the origin, and the stored response that it validates.
package struct Fetch: Sendable, Hashable {
    /// Why the request goes to the origin.
    package let reason: ForwardReason
    /// The client's request.
    package let original: HTTPRequest
    package let request: HTTPRequest
    /// The stored response that the origin's response may confirm (RFC 9111, section 4.3).
    package let stored: StoredResponse?

    package init(
        _ original: HTTPRequest,
        reason: ForwardReason,
        sending request: HTTPRequest? = nil,
        validating stored: StoredResponse? = nil
    ) {
        self.reason = reason
        self.original = original
        self.request = request ?? original
        self.stored = stored
    }

    /// A fetch with the client's own request, independent of stored responses.
    var unconditional: Fetch { Fetch(original, reason: reason) }
}

/// The meaning of the origin's response to a ``Fetch`` for the stored response that the fetch validates.
package enum Interpretation: Sendable, Hashable {
    /// The response is stored and forwarded like any other.
    case replaced
    /// The status is 304, and the stored response is still valid (section 4.3.3).
    case confirmed(Freshened)
    /// The origin failed, and a stale response may be served instead.
    case failed
    /// The response does not apply to the stored one, so that the client's own request has to be sent.
    case unusable
}

extension Fetch {
    /// Validates a stored response that matches the request (RFC 9111, section 4.3).
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
        self.init(request, reason: reason, sending: conditional, validating: stored)
    }

    /// The client's conditions that a validation replaces.
    static let conditions: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince]

    /// Whether the client's own request has a condition that a 304 may respond to.
    var hasOwnCondition: Bool { Self.conditions.contains(where: original.headerFields.contains) }

    /// Interprets the origin's response to ``request`` (sections 4.3.3 and 4.3.4).
    package func interpret(
        _ response: HTTPResponse,
        at times: ExchangeTimes,
        by policy: HTTPCachePolicy
    ) -> Interpretation {
        guard let stored else { return .replaced }
        if StatusCode.isFailure(response.status.code) { return .failed }
        guard response.status == .notModified else { return .replaced }
        // Without a stored validator, the cache sent no condition, and the 304 responds to the client's.
        guard stored.isConfirmed(by: response, at: times), stored.hasValidator || !hasOwnCondition else {
            return .unusable
        }
        return policy.freshened(stored, by: response, at: times, selectedBy: original).map(Interpretation.confirmed)
            ?? .unusable
    }
}

extension StoredResponse {
    /// Whether the response has a validator that a conditional request can send.
    var hasValidator: Bool { fields.entityTag != nil || response.headerFields.contains(.lastModified) }

    /// Whether a 304 has the stored validator, or no validator.
    ///
    /// A strong entity tag is compared strongly. A 304 without a validator confirms more than section 4.3.4 says,
    /// because section 15.4.5 of RFC 9110 does not require origins to repeat `Last-Modified`.
    fileprivate func isConfirmed(by response: HTTPResponse, at times: ExchangeTimes) -> Bool {
        let new = CachingFields(response.headerFields, received: times.received)
        if let tag = new.entityTag {
            return fields.entityTag.map { tag.isWeak ? $0.matchesWeakly(tag) : $0.matchesStrongly(tag) } ?? false
        }
        // An unreadable tag confirms nothing. If the stored one is unreadable too, the dates are compared.
        if response.headerFields.contains(.eTag),
            fields.entityTag != nil || !self.response.headerFields.contains(.eTag)
        {
            return false
        }
        return new.lastModified.map { $0 == fields.lastModified } ?? true
    }
}
