public import Foundation

/// Says whether a cached feed is still fresh: younger than a number of calendar days.
///
/// The age counts in the days of a calendar, so seven of them are 167 or 169 hours where the clocks change in between.
public struct FeedCachePolicy: Sendable {
    /// The age, in calendar days, at which a feed has expired.
    public let maximumAge: Int

    /// The calendar whose days are counted.
    public let calendar: Calendar

    /// Makes a policy of a maximum age in calendar days.
    public init(maximumAge days: Int = 7, calendar: Calendar) {
        self.maximumAge = days
        self.calendar = calendar
    }

    /// Whether a feed that was saved at `timestamp` is fresh at `now`.
    ///
    /// A timestamp that lies in the future is not: a clock that was set back must not keep a cache alive.
    public func isFresh(_ timestamp: Date, at now: Date) -> Bool {
        // A day has 25 hours at most. What is older than all of them needs no calendar, which is slow and cannot count
        // from the times that a damaged file may hold.
        let longest = Double(maximumAge) * 25 * 60 * 60
        guard timestamp <= now, now.timeIntervalSince(timestamp) <= longest,
            let expiry = calendar.date(byAdding: .day, value: maximumAge, to: timestamp)
        else { return false }
        return now < expiry
    }
}
