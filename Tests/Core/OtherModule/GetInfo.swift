public import Duet

/// A query of this module with the same type name as one in the tests.
public struct GetInfo: Query {
    /// The name of the module that handled the query.
    public typealias Value = String

    /// Creates a query.
    public init() {}
}
