public import FeedCache
import Foundation

extension FeedCachePolicy {
    /// Seven days of 24 hours each.
    public static var fixture: FeedCachePolicy {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return FeedCachePolicy(calendar: calendar)
    }
}
