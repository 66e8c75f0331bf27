/// A query for the thing with an id.
public protocol IDQuery: HTTPQuery {
    /// The type of the id.
    associatedtype ID: Codable & Hashable & Sendable

    /// The id.
    var id: ID { get }
}
