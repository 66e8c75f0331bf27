/// Checks that a query sends its `page`: a mount and a dispatcher refuse a type whose request leaves it out.
///
/// On a server, check the range of a page number in `validate()` before you multiply it, because an overflow ends the
/// process.
public protocol Pageable: HTTPQuery {
    /// The identifier of a page: a number, or a cursor from the previous page.
    associatedtype Page: Codable & Sendable

    /// The page, or nil for the first.
    var page: Page? { get }
}

/// Checks that a query sends its `filter`, as ``Pageable`` does.
///
/// Each property of the filter is a parameter.
public protocol Filterable: HTTPQuery {
    /// The type of the filter.
    associatedtype Filter: Codable & Sendable

    /// The filter, or nil for all results.
    var filter: Filter? { get }
}

/// Checks that a query sends its `order`, as ``Pageable`` does.
public protocol Orderable: HTTPQuery {
    /// The type of the order.
    associatedtype Order: Codable & Sendable

    /// The order of the results.
    var order: Order { get }
}

/// Checks that a query sends its `searchText`, as ``Pageable`` does.
public protocol Searchable: HTTPQuery {
    /// The search text, or nil for all results.
    var searchText: String? { get }
}
