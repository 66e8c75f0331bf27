package import Foundation

extension HTTPCachePolicy {
    /// The directives that count for this cache: those of the first targeted field that it has (RFC 9213, section 2.2).
    package func control(of fields: CachingFields) -> CacheControl {
        targetedControl(of: fields) ?? fields.control
    }

    private func targetedControl(of fields: CachingFields) -> CacheControl? {
        guard !fields.targeted.isEmpty else { return nil }
        return targetedFields.lazy.compactMap { fields.targeted[$0] }.first
    }

    /// RFC 9111, section 4.2.1: the first that is there of `s-maxage` (if shared), `max-age`, `Expires` and a guess.
    ///
    /// Beside a targeted field neither `Cache-Control` nor `Expires` counts.
    package func freshnessLifetime(of fields: CachingFields, status: Int) -> FreshnessLifetime {
        let targeted = targetedControl(of: fields)
        let control = targeted ?? fields.control
        if isShared, let seconds = control.sharedMaxAge {
            return FreshnessLifetime(seconds: seconds, source: .sharedMaxAge)
        }
        if let seconds = control.maxAge {
            return FreshnessLifetime(seconds: seconds, source: .maxAge)
        }
        if targeted == nil, let expires = fields.expires {
            return FreshnessLifetime(
                seconds: DeltaSeconds.clamped(expires.timeIntervalSince(fields.date)),
                source: .expires
            )
        }
        return heuristicLifetime(of: fields, status: status, control: control)
    }

    /// RFC 9111, section 4.2.2; of a cookie nobody guesses that it is meant for all.
    private func heuristicLifetime(of fields: CachingFields, status: Int, control: CacheControl) -> FreshnessLifetime {
        guard let lastModified = fields.lastModified, !isShared || !fields.setsCookie,
            control.isPublic || StatusCode.isHeuristicallyCacheable(status)
        else {
            return FreshnessLifetime(seconds: 0, source: .none)
        }
        let guess = DeltaSeconds.clamped(fields.date.timeIntervalSince(lastModified) * heuristicShare)
        return FreshnessLifetime(seconds: min(guess, DeltaSeconds.clamped(heuristicLimit)), source: .heuristic)
    }

    /// How long ago the response was generated (RFC 9111, section 4.2.3).
    ///
    /// Fractions of seconds count until the end, so that what lives one second is not stale at the next tick. Of what
    /// came later than now, because the clock was set back, nobody knows the age: it is the largest there is.
    package func currentAge(of stored: StoredResponse, at now: Date) -> Int {
        let fields = stored.fields
        let apparentAge = max(0, stored.times.received.timeIntervalSince(fields.date))
        let responseDelay = max(0, stored.times.received.timeIntervalSince(stored.times.requested))
        let initialAge = max(apparentAge.rounded(.down), Double(fields.age) + responseDelay)
        let residentTime = now.timeIntervalSince(stored.times.received)
        guard residentTime >= -Self.clockTolerance else { return DeltaSeconds.limit }
        return DeltaSeconds.clamped(initialAge + max(0, residentTime))
    }

    /// By how many seconds a clock may be set back unnoticed.
    private static let clockTolerance = 2.0
}
