import Foundation
import HTTPTypes

/// On what terms a stored response may be used at one time.
struct ReuseTerms {
    enum Verdict: Hashable {
        case fresh
        case stale(Staleness)
        case validate(ForwardReason)
    }

    let stored: StoredResponse
    let control: CacheControl
    let lifetime: Int
    let age: Int
    private let isShared: Bool
    private let failureLimit: Int

    init(_ stored: StoredResponse, by policy: HTTPCachePolicy, at now: Date) {
        self.stored = stored
        control = policy.control(of: stored.fields)
        lifetime = policy.freshnessLifetime(of: stored.fields, status: stored.response.status.code).seconds
        age = policy.currentAge(of: stored, at: now)
        isShared = policy.isShared
        failureLimit = DeltaSeconds.clamped(policy.staleOnFailureLimit)
    }

    /// RFC 9111, section 4.2.
    var isFresh: Bool { lifetime > age }

    private var staleness: Int { age - lifetime }

    /// For how many seconds it stays fresh; negative when it is stale.
    var ttl: Int { lifetime - age }

    /// Whether it answers who asks the same without a word about caching.
    var answersOthers: Bool {
        if case .validate = verdict(CacheControl()) { false } else { true }
    }

    /// RFC 9111, sections 5.2.1.1, 5.2.1.3 and 5.2.1.4: so do some of the request, whose `max-stale` is checked
    /// elsewhere.
    private func mayBeStale(_ request: CacheControl) -> Bool {
        control.mayBeStale(isShared: isShared) && request.noCache == nil && request.minFresh ?? 0 == 0
            && isYoungEnough(request)
    }

    /// By the directives of the request (RFC 9111, section 5.2.1) and of the response (section 5.2.2).
    func verdict(_ request: CacheControl) -> Verdict {
        if control.noCache == .response { return .validate(.stale) }
        if isFresh { return suits(request) ? .fresh : .validate(.request) }
        guard mayBeStale(request) else { return .validate(.stale) }
        if let limit = request.maxStale { return staleness <= limit ? .stale(.maxStale) : .validate(.stale) }
        if let limit = control.staleWhileRevalidate, staleness <= limit, limit > 0 { return .stale(.whileRevalidate) }
        return .validate(.stale)
    }

    /// RFC 8246, section 2: what does not change need not be younger than it is; but it may not last long enough.
    private func suits(_ request: CacheControl) -> Bool {
        guard request.noCache == nil else { return false }
        return (control.immutable || isYoungEnough(request)) && lifetime - age >= request.minFresh ?? 0
    }

    /// `max-age=0` is how clients ask for validation, so that even what was generated this second is not young enough.
    private func isYoungEnough(_ request: CacheControl) -> Bool {
        guard let limit = request.maxAge else { return true }
        return limit > 0 && age <= limit
    }

    /// RFC 5861, section 4: for as long as request or response say, and otherwise as long as the cache is set to.
    ///
    /// A request that says how stale an answer may be, and nothing of errors, says it of these too.
    func mayStandIn(_ request: CacheControl) -> Bool {
        guard mayBeStale(request) else { return false }
        let limit =
            [request.staleIfError ?? request.maxStale, control.staleIfError].compactMap { $0 }.min() ?? failureLimit
        return staleness <= limit && (isFresh || limit > 0)
    }

    func hit(_ staleness: Staleness?, omitting omitted: Set<HTTPField.Name>? = nil) -> Hit {
        Hit(
            stored: stored,
            age: age,
            lifetime: lifetime,
            staleness: isFresh ? nil : staleness,
            omitted: omitted ?? control.noCache?.names ?? []
        )
    }
}

extension CacheControl {
    /// RFC 9111, section 4.2.4: some directives of a response forbid stale ones whatever else allows them.
    func mayBeStale(isShared: Bool) -> Bool {
        guard noCache != .response, !mustRevalidate else { return false }
        return !isShared || !proxyRevalidate && sharedMaxAge == nil
    }
}
