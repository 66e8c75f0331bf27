/// A query whose results come page by page.
public protocol Pageable: HTTPQuery {
    /// What a page is known by: a number, or a mark that the previous page ended with.
    associatedtype Page: Codable & Sendable

    /// The page that is wanted; nil for the first.
    var page: Page? { get }
}
