public import Foundation

/// The current date, as a dependency.
public struct CurrentDate: Sendable {
    private let date: @Sendable () -> Date

    /// Creates a value that calls `date` each time.
    public init(_ date: @escaping @Sendable () -> Date) {
        self.date = date
    }

    /// Returns the current date.
    public func callAsFunction() -> Date {
        date()
    }
}
