import Foundation
import Synchronization

/// A date that changes only when a test sets it.
final class TestDate: Sendable {
    private let date = Mutex(Date(timeIntervalSinceReferenceDate: 780_000_000.123456))

    var now: @Sendable () -> Date {
        { self.date.withLock { $0 } }
    }

    func advance(by interval: TimeInterval) {
        date.withLock { $0 += interval }
    }
}
