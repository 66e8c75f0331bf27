import FeedCache
import FeedTesting
import Foundation
import Testing

struct FeedCachePolicyTests {
    private let week: TimeInterval = 7 * 24 * 60 * 60

    @Test(arguments: [(-1.0, true), (0, false), (1, false)])
    func `a feed is fresh until just before it is seven days old`(seconds: Double, isFresh: Bool) throws {
        let policy = FeedCachePolicy(calendar: try calendar("UTC"))

        #expect(policy.isFresh(.fixture, at: .fixture + week + seconds) == isFresh)
    }

    @Test(arguments: [(-1.0, false), (0, true), (1, true)])
    func `a feed from the future has expired`(seconds: Double, isFresh: Bool) throws {
        let policy = FeedCachePolicy(calendar: try calendar("UTC"))

        #expect(policy.isFresh(.fixture, at: .fixture + seconds) == isFresh)
    }

    @Test(arguments: [(-1.0, true), (0, false), (1, false)])
    func `the maximum age can be set`(seconds: Double, isFresh: Bool) throws {
        let policy = FeedCachePolicy(maximumAge: 1, calendar: try calendar("UTC"))

        #expect(policy.isFresh(.fixture, at: .fixture + week / 7 + seconds) == isFresh)
    }

    @Test func `with a maximum age of zero no feed is fresh`() throws {
        let policy = FeedCachePolicy(maximumAge: 0, calendar: try calendar("UTC"))

        #expect(!policy.isFresh(.fixture, at: .fixture))
    }

    /// Clocks in Athens went forward on March 31, 2024, and back on October 27, 2024, each at night.
    @Test(arguments: [
        ("2024-03-28T10:00:00Z", 167.0), ("2024-10-24T10:00:00Z", 169), ("2024-06-06T10:00:00Z", 168),
    ])
    func `seven days have the length that the calendar gives them`(start: String, hours: Double) throws {
        let policy = FeedCachePolicy(calendar: try calendar("Europe/Athens"))
        let saved = try Date(start, strategy: .iso8601)
        let expiry = saved + hours * 60 * 60

        #expect(policy.isFresh(saved, at: expiry - 1))
        #expect(!policy.isFresh(saved, at: expiry))
        #expect(!policy.isFresh(saved, at: expiry + 1))
    }

    @Test(arguments: [-1e300, -.greatestFiniteMagnitude, -.infinity, .infinity, .nan, 1e300])
    func `a time outside of the calendar has expired`(seconds: Double) throws {
        let policy = FeedCachePolicy(calendar: try calendar("Europe/Athens"))

        #expect(!policy.isFresh(Date(timeIntervalSinceReferenceDate: seconds), at: .fixture))
    }

    private func calendar(_ timeZone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: timeZone))
        return calendar
    }
}
