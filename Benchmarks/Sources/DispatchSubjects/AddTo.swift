public import Duet

/// A query whose handler returns immediately, so that only the dispatch is measured.
public struct AddTo: Query {
    /// The sum.
    public typealias Value = Int

    /// One of the two numbers.
    public let number: Int

    /// Creates a query for the sum of `number` and the handler's number.
    public init(number: Int) {
        self.number = number
    }
}
