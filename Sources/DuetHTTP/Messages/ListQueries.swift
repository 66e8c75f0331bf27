/// A query with paged results.
public protocol Pageable: HTTPQuery {
    /// The identifier of a page: a number, or a cursor from the previous page.
    associatedtype Page: Codable & Sendable

    /// The page, or nil for the first.
    var page: Page? { get }
}

/// A query with a filter, each of whose properties is a parameter.
public protocol Filterable: HTTPQuery {
    /// The type of the filter.
    associatedtype Filter: Codable & Sendable

    /// The filter, or nil for all results.
    var filter: Filter? { get }
}

/// A query with sorted results.
public protocol Orderable: HTTPQuery {
    /// The type of the order.
    associatedtype Order: Codable & Sendable

    /// The order of the results.
    var order: Order { get }
}

/// A query with a search text.
public protocol Searchable: HTTPQuery {
    /// The search text, or nil for all results.
    var query: String? { get }
}
