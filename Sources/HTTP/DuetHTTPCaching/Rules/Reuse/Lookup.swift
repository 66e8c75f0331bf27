package import Foundation
package import HTTPTypes

/// How a cache handles a request, given the responses that are stored for its URI (RFC 9111, section 4).
package enum Lookup: Sendable, Hashable {
    /// A stored response satisfies the request.
    case hit(Hit)
    /// The request goes to the origin.
    case fetch(Fetch)
    /// The request accepts stored responses only, and none can be used: 504 (section 5.2.1.7).
    case gatewayTimeout
}

extension HTTPCachePolicy {
    /// Decides how to handle a GET, given the responses that are stored for its URI (RFC 9111, section 4).
    package func lookup(in candidates: [StoredResponse], for request: HTTPRequest, at now: Date) -> Lookup {
        let control = CacheControl(request.headerFields)
        let decision = decision(of: candidates, for: request, control, at: now)
        if case .hit = decision { return decision }
        return control.onlyIfCached ? .gatewayTimeout : decision
    }

    private func decision(
        of candidates: [StoredResponse],
        for request: HTTPRequest,
        _ control: CacheControl,
        at now: Date
    ) -> Lookup {
        guard !candidates.isEmpty else { return .forward(request, .uriMiss) }
        // Only the origin can evaluate these conditions (RFC 9110, sections 13.1.1 and 13.1.4).
        guard !request.headerFields.contains(.ifMatch), !request.headerFields.contains(.ifUnmodifiedSince) else {
            return .forward(request, .request)
        }
        guard let stored = Self.chosen(of: candidates, for: request) else { return .forward(request, .varyMiss) }
        // `no-store` bypasses stored responses too, except together with `only-if-cached` (section 5.2.1.5).
        guard !control.noStore || control.onlyIfCached else { return .forward(request, .request) }
        let terms = ReuseTerms(stored, by: self, at: now)
        guard let reason = terms.reasonToValidate(control) else { return .hit(terms.hit()) }
        return .fetch(Fetch(validating: stored, for: request, reason: reason))
    }

    /// The most recent matching response (RFC 9111, section 4).
    private static func chosen(of candidates: [StoredResponse], for request: HTTPRequest) -> StoredResponse? {
        // Avoids copies in the usual case.
        if candidates.count == 1 { return candidates.first { $0.selection.matches(request) } }
        var values = RequestValues(of: request)
        return candidates.filter { $0.selection.matches(&values) }.max { $1.isMoreRecent(than: $0) }
    }

    /// A hit regardless of age, because the origin has just confirmed the response (section 4.3.3).
    package func confirmedHit(of stored: StoredResponse, at now: Date) -> Hit {
        ReuseTerms(stored, by: self, at: now).hit(omitting: [])
    }

    /// The hit of a stale response because the origin failed; nil if that is not allowed.
    ///
    /// See RFC 5861, section 4, and RFC 9111, section 4.2.4. A stored failure is never served in place of another.
    package func reuseAfterFailure(of stored: StoredResponse, for request: HTTPRequest, at now: Date) -> Hit? {
        guard !StatusCode.isFailure(stored.response.status.code), stored.selection.matches(request) else { return nil }
        let terms = ReuseTerms(stored, by: self, at: now)
        return terms.mayBeServedOnFailure(CacheControl(request.headerFields)) ? terms.hit() : nil
    }
}

extension Lookup {
    fileprivate static func forward(_ request: HTTPRequest, _ reason: ForwardReason) -> Lookup {
        .fetch(Fetch(request, reason: reason))
    }
}
