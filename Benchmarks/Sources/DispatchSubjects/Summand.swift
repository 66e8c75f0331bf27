/// A dependency of a query handler: one of the two numbers.
public protocol Summand: Sendable {
    /// The number.
    var number: Int { get }
}

/// A number that does not change.
public final class FixedSummand: Summand {
    /// The number.
    public let number: Int

    /// Creates a summand with this number.
    public init(number: Int) {
        self.number = number
    }
}
