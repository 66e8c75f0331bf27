public import Foundation

/// Tells the date at the moment of the call; what depends on the time is given this.
public struct CurrentDate: Sendable {
    private let date: @Sendable () -> Date

    /// Tells what `date` tells.
    public init(_ date: @escaping @Sendable () -> Date) {
        self.date = date
    }

    /// The date now.
    public func callAsFunction() -> Date {
        date()
    }
}
