/// A query with a filter, each of whose properties is a parameter.
public protocol Filterable: HTTPQuery {
    /// The type of the filter.
    associatedtype Filter: Codable & Sendable

    /// The filter, or nil for all results.
    var filter: Filter? { get }
}
