/// A query with paged results.
public protocol Pageable: HTTPQuery {
    /// The identifier of a page: a number, or a cursor from the previous page.
    associatedtype Page: Codable & Sendable

    /// The page, or nil for the first.
    var page: Page? { get }
}
