/// A query for what passes a filter, each of whose properties is a parameter of its own.
public protocol Filterable: HTTPQuery {
    /// What is asked of the results.
    associatedtype Filter: Codable & Sendable

    /// What is asked of the results; nil for all of them.
    var filter: Filter? { get }
}
