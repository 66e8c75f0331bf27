/// A query for what matches a text.
public protocol Searchable: HTTPQuery {
    /// What to look for; nil for everything.
    var query: String? { get }
}
