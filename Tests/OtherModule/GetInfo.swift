public import Duet

/// A query that has the name of one in the tests, in another module.
public struct GetInfo: Query {
    /// Where the answer comes from.
    public typealias Value = String

    /// Asks, without saying anything more.
    public init() {}
}
