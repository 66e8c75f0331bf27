/// A query with a search text.
public protocol Searchable: HTTPQuery {
    /// The search text, or nil for all results.
    var query: String? { get }
}
