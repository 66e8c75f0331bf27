public import Duet

/// A query that is answered at once, so that what is measured is the way to its handler.
public struct AddTo: Query {
    /// The sum.
    public typealias Value = Int

    /// One of the two numbers.
    public let number: Int

    /// Asks for `number` and whatever the handler has.
    public init(number: Int) {
        self.number = number
    }
}
