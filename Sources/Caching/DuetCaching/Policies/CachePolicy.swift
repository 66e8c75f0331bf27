import Duet
public import Foundation

/// Decides how long a cached value is used, and what happens after that.
///
/// A policy is a pure value. It is applied when a value is read, with the date at which the value was loaded, so it
/// needs no timers.
///
/// ```swift
/// let feedPolicy = CachePolicy<[String]>
///     .maxAge(.minutes(5))
///     .staleWhileRevalidate(.hours(1))
///     .staleIfError(.days(7))
///     .softTimeout(.seconds(2))
///     .hardTimeout(.seconds(10))
/// ```
///
/// A value is *fresh* until its maximum age, exclusively, and *stale* from then on. A value from the future, which a
/// clock that was set back leaves behind, is stale.
public struct CachePolicy<Value: Sendable>: Sendable {
    /// The time for which a value is fresh.
    enum Lifetime {
        case unlimited
        case duration(Duration)
        case calendar(Int, Calendar.Component, Calendar)
        case ofValue(@Sendable (Value) -> Duration)
        /// That of a rule without a policy.
        case tracked
    }

    var lifetime: Lifetime
    var idleTime: Duration?
    var jitter = 0.0
    var refreshAhead: Double?
    var staleWhileRevalidate = Duration.zero
    var staleIfError = Duration.zero
    var errors: (age: Duration, isCached: @Sendable (any Error) -> Bool)?
    var softTimeout: Duration?
    var hardTimeout: Duration?
    var isTracked: Bool { if case .tracked = lifetime { true } else { false } }
    var hasTimeout: Bool { softTimeout != nil || hardTimeout != nil }
    /// Descriptions of the settings, in the order in which they were made.
    var parts: [String]
    /// The invalid settings, which ``InvalidCacheRules`` reports.
    var faults: [String] = []
}

extension CachePolicy {
    static var tracked: CachePolicy {
        CachePolicy(lifetime: .tracked, parts: ["until written, or for an hour, or from a server for a minute"])
    }
}

// MARK: Fresh values

extension CachePolicy {
    /// A value stays fresh until it is invalidated or evicted.
    public static var untilInvalidated: CachePolicy {
        CachePolicy(lifetime: .unlimited, parts: ["until invalidated"])
    }

    /// A value is fresh for an exact time after it was loaded.
    public static func maxAge(_ age: Duration) -> CachePolicy {
        CachePolicy(lifetime: .duration(age), parts: ["maximum age \(age.text)"]).checking("maximum age", age)
    }

    /// A value is fresh for a number of calendar units after it was loaded.
    ///
    /// Seven days end at the same time of day. Across a change to or from daylight saving time, they have 167 or 169
    /// hours.
    ///
    /// - Parameters:
    ///   - count: The number of units.
    ///   - unit: The unit, such as `.day`.
    ///   - calendar: The calendar, whose time zone matters.
    public static func maxAge(_ count: Int, _ unit: Calendar.Component, in calendar: Calendar) -> CachePolicy {
        var policy = CachePolicy(
            lifetime: .calendar(count, unit, calendar),
            parts: ["maximum age \(count) \(unit) of the calendar"]
        )
        if count < 0 { policy.faults.append("The maximum age is negative: \(count) \(unit).") }
        return policy
    }

    /// A value is fresh for a time that the value itself determines, such as the lifetime of a token.
    public static func maxAge(of age: @escaping @Sendable (Value) -> Duration) -> CachePolicy {
        CachePolicy(lifetime: .ofValue(age), parts: ["maximum age by value"])
    }

    /// Also ends freshness when a value has not been read for a time.
    public func idleTime(_ duration: Duration) -> CachePolicy {
        setting("idle time", duration) { $0.idleTime = duration }
    }

    /// Shortens each value's maximum age by a random part of it, so that values loaded together do not expire together.
    ///
    /// - Parameter fraction: The largest part, from 0 to 1, such as 0.1 for up to ten percent.
    public func jitter(_ fraction: Double) -> CachePolicy {
        changing("jitter \(fraction)", (0...1).contains(fraction) ? nil : "The jitter \(fraction) is not in 0...1.") {
            $0.jitter = fraction
        }
    }

    /// Loads a value in the background when it is read late in its maximum age, so that it seldom becomes stale.
    ///
    /// - Parameter fraction: The part of the maximum age after which a read refreshes the value, such as 0.8 for the
    ///   last fifth.
    public func refreshAhead(after fraction: Double) -> CachePolicy {
        changing(
            "refreshed after \(fraction) of its age",
            (0..<1).contains(fraction) ? nil : "The fraction for refreshing ahead, \(fraction), is not in 0..<1."
        ) { $0.refreshAhead = fraction }
    }
}

// MARK: Stale values

extension CachePolicy {
    /// Serves a stale value for a time after its maximum age, while a new one is loaded in the background.
    ///
    /// An invalidated value is never served this way.
    public func staleWhileRevalidate(_ duration: Duration) -> CachePolicy {
        setting("stale while revalidating", duration) { $0.staleWhileRevalidate = duration }
    }

    /// Serves a stale value for a time after its maximum age, if a new one cannot be loaded.
    ///
    /// An invalidated value is served too. Its result says that it is stale.
    public func staleIfError(_ duration: Duration) -> CachePolicy {
        setting("stale if loading fails", duration) { $0.staleIfError = duration }
    }
}

// MARK: Failures and slow loads

extension CachePolicy {
    /// Stores errors, so that a failed query is not repeated at once.
    ///
    /// An error never replaces a value that may still be served. `CancellationError` is never stored. Observers that
    /// begin meanwhile show the error, and load when the time is over.
    ///
    /// - Parameters:
    ///   - age: The time for which an error is thrown again without a load.
    ///   - isCached: The errors to store; all by default.
    public func cachingErrors(
        for age: Duration,
        where isCached: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> CachePolicy {
        setting("errors cached for", age) { $0.errors = (age, isCached) }
    }

    /// Returns a stale value if there is one and the load takes longer than this.
    ///
    /// The load continues in the background.
    ///
    /// The value must be one that ``staleIfError(_:)`` would serve.
    public func softTimeout(_ duration: Duration) -> CachePolicy {
        setting("soft timeout", duration) { $0.softTimeout = duration }
    }

    /// Throws ``CacheTimeout`` if the load takes longer than this.
    ///
    /// The load continues in the background.
    ///
    /// A stale value is returned instead if ``staleIfError(_:)`` permits that.
    public func hardTimeout(_ duration: Duration) -> CachePolicy {
        setting("hard timeout", duration) { $0.hardTimeout = duration }
    }
}

extension CachePolicy: CustomStringConvertible {
    /// The settings, as in `maximum age 7 days, stale while revalidating 5 minutes`.
    public var description: String { parts.joined(separator: ", ") }
}

extension CachePolicy {
    private func checking(_ name: String, _ duration: Duration) -> CachePolicy {
        guard duration < .zero else { return self }
        var policy = self
        policy.faults.append("The \(name) is negative: \(duration.text).")
        return policy
    }

    private func setting(_ name: String, _ duration: Duration, _ change: (inout CachePolicy) -> Void) -> CachePolicy {
        changing("\(name) \(duration.text)", nil, change).checking(name, duration)
    }

    private func changing(_ part: String, _ fault: String?, _ change: (inout CachePolicy) -> Void) -> CachePolicy {
        var policy = self
        change(&policy)
        policy.parts.append(part)
        if let fault { policy.faults.append(fault) }
        return policy
    }
}
