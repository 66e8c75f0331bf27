package import Foundation
package import HTTPTypes

extension HTTPCachePolicy {
    /// What to do with a request, of whose URI these responses are stored (RFC 9111, section 4).
    package func reuse(of candidates: [StoredResponse], for request: HTTPRequest, at now: Date) -> Reuse {
        guard request.method == .get || request.method == .head else { return .forward(.method) }
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
    ) -> Reuse {
        let usable = candidates.filter { $0.method == .get || request.method == .head }
        guard !usable.isEmpty else { return .forward(candidates.isEmpty ? .uriMiss : .miss) }
        // What these ask is for the origin to judge, RFC 9110, sections 13.1.1 and 13.1.4.
        guard !request.headerFields.contains(.ifMatch), !request.headerFields.contains(.ifUnmodifiedSince) else {
            return .forward(.request)
        }
        guard let stored = Self.chosen(of: usable, for: request) else { return .forward(.varyMiss) }
        // Its answer would not be stored either, section 5.2.1.5; who wants none of the origin stores none.
        guard !control.noStore || control.onlyIfCached else { return .forward(.request) }
        return reuse(of: stored, for: request, control, at: now)
    }

    /// The most recent of those that match and hold what is asked for, or else the most recent that matches (section 4).
    static func chosen(of candidates: [StoredResponse], for request: HTTPRequest) -> StoredResponse? {
        // Mostly there is one.
        if candidates.count == 1 { return candidates.first { $0.selection.matches(request) } }
        var values = RequestValues(of: request)
        let matching = candidates.filter { $0.selection.matches(&values) }
        let holding = matching.filter { $0.coverage(of: request) == .covered }
        return (holding.isEmpty ? matching : holding).max { $1.isMoreRecent(than: $0) }
    }

    private func reuse(
        of stored: StoredResponse,
        for request: HTTPRequest,
        _ control: CacheControl,
        at now: Date
    ) -> Reuse {
        let coverage = stored.coverage(of: request)
        if case .completable(let missing) = coverage {
            return .complete(Completion(stored: stored, missing: missing, request: request))
        }
        guard coverage == .covered else { return .forward(.partial) }
        let terms = ReuseTerms(stored, by: self, at: now)
        switch terms.verdict(control) {
        case .fresh: return .hit(terms.hit(nil))
        case .stale(let leave): return .hit(terms.hit(leave))
        case .validate(let reason): return .validate(Validation(of: stored, for: request, reason: reason))
        }
    }

    /// A stored response that answers whatever its age, because the origin has just confirmed it (section 4.3.3).
    package func confirmedHit(of stored: StoredResponse, at now: Date) -> Hit {
        ReuseTerms(stored, by: self, at: now).hit(nil, omitting: [])
    }

    /// The stored response, when it may stand in for an origin that failed (RFC 5861, section 4; RFC 9111, section 4.2.4); an
    /// earlier failure is no help.
    package func reuseAfterFailure(
        of stored: StoredResponse,
        for request: HTTPRequest,
        at now: Date
    ) -> Hit? {
        guard !StatusCode.isFailure(stored.response.status.code), stored.selection.matches(request),
            stored.coverage(of: request) == .covered
        else { return nil }
        let terms = ReuseTerms(stored, by: self, at: now)
        return terms.mayStandIn(CacheControl(request.headerFields)) ? terms.hit(.onFailure) : nil
    }
}
