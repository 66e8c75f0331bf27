package import Foundation
import Synchronization

/// A date that changes only when a test changes it.
package final class TestDate: Sendable {
    private let date: Mutex<Date>

    /// Creates a date, by default in September 2025, with a fraction of a second that an imprecise store would lose.
    package init(_ date: Date = Date(timeIntervalSinceReferenceDate: 780_000_000.123456)) {
        self.date = Mutex(date)
    }

    /// Returns the date.
    package var now: @Sendable () -> Date {
        { self.date.withLock { $0 } }
    }

    package func advance(by interval: TimeInterval) {
        date.withLock { $0 += interval }
    }
}
