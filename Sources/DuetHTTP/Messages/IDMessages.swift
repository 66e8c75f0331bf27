/// A query for one resource, by its id.
public protocol IDQuery: HTTPQuery {
    /// The type of the id.
    associatedtype ID: Codable & Hashable & Sendable

    /// The id.
    var id: ID { get }
}

/// A command for one resource, by its id.
public protocol IDCommand: HTTPCommand {
    /// The type of the id.
    associatedtype ID: Codable & Hashable & Sendable

    /// The id.
    var id: ID { get }
}
