public import Foundation

/// Decides whether a cached feed is fresh, which means younger than a number of calendar days.
///
/// The days are those of a calendar, so seven of them are 167 or 169 hours if the clocks change in between.
public struct FeedCachePolicy: Sendable {
    /// The age, in calendar days, at which a feed expires.
    public let maximumAge: Int

    /// The calendar whose days are counted.
    public let calendar: Calendar

    /// Creates a policy with a maximum age in calendar days.
    public init(maximumAge days: Int = 7, calendar: Calendar) {
        self.maximumAge = days
        self.calendar = calendar
    }

    /// Returns whether a feed that was saved at `timestamp` is fresh at `now`.
    ///
    /// A timestamp in the future is not fresh, because a clock that was set back must not keep a cache alive.
    public func isFresh(_ timestamp: Date, at now: Date) -> Bool {
        // A day has 25 hours at most. This check avoids the calendar for old feeds: the calendar is slow, and it cannot
        // handle the extreme dates that a damaged file may hold.
        let longest = Double(maximumAge) * 25 * 60 * 60
        guard timestamp <= now, now.timeIntervalSince(timestamp) <= longest,
            let expiry = calendar.date(byAdding: .day, value: maximumAge, to: timestamp)
        else { return false }
        return now < expiry
    }
}
