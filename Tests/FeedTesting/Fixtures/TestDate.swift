public import Foundation
import Synchronization

/// A date that changes only when a test sets it.
public final class TestDate: Sendable {
    private let date = Mutex(Date(timeIntervalSinceReferenceDate: 780_000_000.123456))

    /// Creates a date in September 2025.
    public init() {}

    /// Returns the date.
    public var now: @Sendable () -> Date {
        { self.date.withLock { $0 } }
    }

    /// Changes the date.
    public func advance(by interval: TimeInterval) {
        date.withLock { $0 += interval }
    }
}
