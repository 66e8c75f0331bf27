package import Foundation

extension HTTPCachePolicy {
    /// How long a response is fresh (RFC 9111, section 4.2.1).
    ///
    /// The sources are `max-age`, `Expires` and a heuristic, in this order.
    package func freshnessLifetime(of fields: CachingFields, status: Int) -> FreshnessLifetime {
        if let seconds = fields.control.maxAge {
            return FreshnessLifetime(seconds: seconds, source: .maxAge)
        }
        if let expires = fields.expires {
            return FreshnessLifetime(
                seconds: DeltaSeconds.clamped(expires.timeIntervalSince(fields.date)),
                source: .expires
            )
        }
        return heuristicLifetime(of: fields, status: status)
    }

    /// The lifetime of a response without an explicit one (RFC 9111, section 4.2.2).
    private func heuristicLifetime(of fields: CachingFields, status: Int) -> FreshnessLifetime {
        guard let lastModified = fields.lastModified,
            fields.control.isPublic || StatusCode.isHeuristicallyCacheable(status)
        else {
            return FreshnessLifetime(seconds: 0, source: .none)
        }
        let share = DeltaSeconds.clamped(fields.date.timeIntervalSince(lastModified) * heuristicShare)
        return FreshnessLifetime(seconds: min(share, DeltaSeconds.clamped(heuristicLimit)), source: .heuristic)
    }

    /// How long ago the response was generated (RFC 9111, section 4.2.3).
    ///
    /// Fractions of seconds are dropped only at the end, so that a lifetime of one second does not end at the next
    /// tick. If the clock has been set back to a time before the response was received, its age is unknown, and the
    /// largest possible age is assumed.
    package func currentAge(of stored: StoredResponse, at now: Date) -> Int {
        let fields = stored.fields
        let apparentAge = max(0, stored.times.received.timeIntervalSince(fields.date))
        let responseDelay = max(0, stored.times.received.timeIntervalSince(stored.times.requested))
        let initialAge = max(apparentAge.rounded(.down), Double(fields.age) + responseDelay)
        let residentTime = now.timeIntervalSince(stored.times.received)
        guard residentTime >= -Self.clockTolerance else { return DeltaSeconds.limit }
        return DeltaSeconds.clamped(initialAge + max(0, residentTime))
    }

    /// The number of seconds by which the clock may be set back without an effect.
    private static let clockTolerance = 2.0
}

/// How long a response is fresh, and which field or rule says so (RFC 9111, section 4.2.1).
package struct FreshnessLifetime: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        case maxAge, expires, heuristic, none
    }

    package let seconds: Int
    package let source: Source

    /// Whether the origin has declared the lifetime.
    package var isExplicit: Bool { source != .heuristic && source != .none }
}
