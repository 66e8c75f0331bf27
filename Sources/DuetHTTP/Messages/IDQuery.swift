/// A query for the one thing of an id.
public protocol IDQuery: HTTPQuery {
    /// What the thing is known by.
    associatedtype ID: Codable & Hashable & Sendable

    /// What the thing is known by.
    var id: ID { get }
}
