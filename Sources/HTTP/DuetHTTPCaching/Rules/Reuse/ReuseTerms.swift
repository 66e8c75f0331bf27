import Foundation
import HTTPTypes

/// The terms on which a stored response may be reused at one point in time.
struct ReuseTerms {
    let stored: StoredResponse
    let control: CacheControl
    let lifetime: Int
    let age: Int
    private let failureLimit: Int

    init(_ stored: StoredResponse, by policy: HTTPCachePolicy, at now: Date) {
        self.stored = stored
        control = stored.fields.control
        lifetime = policy.freshnessLifetime(of: stored.fields, status: stored.response.status.code).seconds
        age = policy.currentAge(of: stored, at: now)
        failureLimit = DeltaSeconds.clamped(policy.staleOnFailureLimit)
    }

    /// Whether the response is fresh (RFC 9111, section 4.2).
    var isFresh: Bool { lifetime > age }

    private var staleness: Int { age - lifetime }

    /// The number of seconds for which the response stays fresh; negative if it is stale.
    var ttl: Int { lifetime - age }

    /// Whether the response satisfies other requests that it matches and that have no directives.
    var answersOthers: Bool { reasonToValidate(CacheControl()) == nil }

    /// Whether the directives of response and request allow a stale response at all.
    ///
    /// See RFC 9111, sections 5.2.1.1, 5.2.1.3 and 5.2.1.4. The caller checks `max-stale`.
    private func mayBeStale(_ request: CacheControl) -> Bool {
        control.mayBeStale && request.noCache == nil && request.minFresh ?? 0 == 0 && isYoungEnough(request)
    }

    /// Why the response has to be validated first; nil if it satisfies the request.
    ///
    /// The directives of the request (RFC 9111, section 5.2.1) and of the response (section 5.2.2) apply.
    func reasonToValidate(_ request: CacheControl) -> ForwardReason? {
        if control.noCache == .response { return .stale }
        if isFresh { return satisfies(request) ? nil : .request }
        guard mayBeStale(request), let limit = request.maxStale, staleness <= limit else { return .stale }
        return nil
    }

    /// Whether a fresh response satisfies the directives of the request.
    ///
    /// The request's `max-age` does not apply to an `immutable` response (RFC 8246, section 2), but `min-fresh` does.
    private func satisfies(_ request: CacheControl) -> Bool {
        guard request.noCache == nil else { return false }
        return (control.immutable || isYoungEnough(request)) && ttl >= request.minFresh ?? 0
    }

    /// Whether the age is within the request's `max-age`.
    ///
    /// Clients send `max-age=0` to request validation, so that no response is young enough for it.
    private func isYoungEnough(_ request: CacheControl) -> Bool {
        guard let limit = request.maxAge else { return true }
        return limit > 0 && age <= limit
    }

    /// Whether the response may be served because the origin failed (RFC 5861, section 4).
    ///
    /// The shorter limit of request and response applies, or else that of the policy. A request's `max-stale` counts as
    /// its `stale-if-error` if it has none.
    func mayBeServedOnFailure(_ request: CacheControl) -> Bool {
        guard mayBeStale(request) else { return false }
        let limit =
            [request.staleIfError ?? request.maxStale, control.staleIfError].compactMap { $0 }.min() ?? failureLimit
        return staleness <= limit && (isFresh || limit > 0)
    }

    func hit(omitting omitted: Set<HTTPField.Name>? = nil) -> Hit {
        Hit(stored: stored, age: age, lifetime: lifetime, omitted: omitted ?? control.noCache?.names ?? [])
    }
}

extension CacheControl {
    /// Whether the directives of a response do not forbid its use when it is stale (RFC 9111, section 4.2.4).
    var mayBeStale: Bool { noCache != .response && !mustRevalidate }
}
