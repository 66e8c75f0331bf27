import Foundation

/// The dates of a stored value, from which a policy decides how it may be used.
///
/// Dates are seconds since the reference date of `Date`.
struct StoredDates: Hashable {
    /// When the load ended that produced the value.
    let loaded: Double
    /// When the value stops being fresh; infinity for never.
    let expires: Double
}

/// How a stored value may be used at some moment.
struct Freshness: Hashable {
    var isFresh = false
    var isDueForRefresh = false
    var isUsableWhileRevalidating = false
    var isUsableOnError = false

    static let fresh = Freshness(isFresh: true, isUsableWhileRevalidating: true, isUsableOnError: true)
}

extension CachePolicy {
    /// - Parameters:
    ///   - loaded: When the load ended.
    ///   - random: A number from 0 to 1 that determines the jitter.
    ///   - trackedAge: The seconds for which the value is fresh without a policy.
    func dates(of value: Value, loaded: Double, random: Double, trackedAge: Double) -> StoredDates {
        let expires: Double =
            switch lifetime {
            case .tracked: loaded + trackedAge
            case .unlimited: .infinity
            case .duration(let duration): loaded + duration.inSeconds
            case .ofValue(let age): loaded + max(0, age(value).inSeconds)
            case .calendar(let count, let unit, let calendar):
                calendar.date(byAdding: unit, value: count, to: Date(timeIntervalSinceReferenceDate: loaded))?
                    .timeIntervalSinceReferenceDate ?? loaded
            }
        // Infinity minus a part of infinity is not a number.
        guard jitter > 0, expires < .infinity else { return StoredDates(loaded: loaded, expires: expires) }
        return StoredDates(loaded: loaded, expires: expires - (expires - loaded) * jitter * random)
    }

    var limits: FreshnessLimits {
        FreshnessLimits(
            idleTime: idleTime?.inSeconds ?? .infinity,
            refreshAhead: refreshAhead ?? .infinity,
            staleWhileRevalidate: staleWhileRevalidate.inSeconds,
            staleIfError: staleIfError.inSeconds
        )
    }
}

/// The settings of a policy that decide how a stored value may be used, in seconds; infinity where there is no limit.
struct FreshnessLimits: Hashable {
    let idleTime: Double
    let refreshAhead: Double
    let staleWhileRevalidate: Double
    let staleIfError: Double

    /// The seconds for which a value that is no longer fresh may be served.
    var grace: Double { max(staleWhileRevalidate, staleIfError) }

    /// Whether a value that is not invalid may be returned without a load.
    ///
    /// Two comparisons suffice for most policies.
    @inline(__always)
    func isHit(loaded: Double, expires: Double, lastUse: @autoclosure () -> Double, at now: Double) -> Bool {
        guard now < expires, now >= loaded else { return false }
        if idleTime < .infinity, now >= lastUse() + idleTime { return false }
        return refreshAhead == .infinity || !isDueForRefresh(loaded, expires, now)
    }

    /// - Parameters:
    ///   - lastUse: When the value was read last, or loaded.
    ///   - isInvalidated: Whether an invalidation has completed since the load began.
    func freshness(of dates: StoredDates, lastUse: Double, isInvalidated: Bool, at now: Double) -> Freshness {
        var freshness = Freshness()
        let end = min(dates.expires, lastUse + idleTime)
        let isFromTheFuture = now < dates.loaded
        freshness.isFresh = now < end && !isFromTheFuture && !isInvalidated
        freshness.isDueForRefresh = freshness.isFresh && isDueForRefresh(dates.loaded, dates.expires, now)
        freshness.isUsableWhileRevalidating =
            freshness.isFresh || !isInvalidated && !isFromTheFuture && now < end + staleWhileRevalidate
        // The age of an invalidated value counts from its expiration too: nobody stored the date of the invalidation.
        freshness.isUsableOnError = freshness.isFresh || staleIfError > 0 && now < max(end, dates.loaded) + staleIfError
        return freshness
    }

    private func isDueForRefresh(_ loaded: Double, _ expires: Double, _ now: Double) -> Bool {
        refreshAhead < .infinity && expires < .infinity && now >= loaded + (expires - loaded) * refreshAhead
    }
}
