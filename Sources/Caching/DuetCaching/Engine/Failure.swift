import Duet

/// The stored error of a load, for a policy with ``CachePolicy/cachingErrors(for:where:)``.
struct Failure: Sendable {
    let error: any Error
    let dates: StoredDates
    let epoch: Epoch
    let tags: [Tag]

    func isFresh(at now: Double) -> Bool { now >= dates.loaded && now < dates.expires }
}

extension Line.State {
    /// The number of failures at which old ones are dropped.
    private static var failureLimit: Int { 256 }

    /// Replaces the failure of a key, or removes it after a success.
    mutating func note(_ failure: Failure?, of key: ScopedQuery<Q>, at now: Double) {
        guard let failure else {
            if !failures.isEmpty { failures[key] = nil }
            return
        }
        if failures.count >= Self.failureLimit {
            failures = failures.filter { $0.value.isFresh(at: now) }
            if failures.count >= Self.failureLimit { failures = [:] }
        }
        failures[key] = failure
    }
}
