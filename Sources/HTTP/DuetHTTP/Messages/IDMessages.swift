/// Checks that a query sends its `id`: a mount and a dispatcher refuse a type whose request leaves it out.
///
/// The route names it, as in `notes/{id}`, or it is a parameter of the URL.
public protocol IDQuery: HTTPQuery {
    /// The type of the id.
    associatedtype ID: Codable & Hashable & Sendable

    /// The id of the resource.
    var id: ID { get }
}

/// Checks that a command sends its `id`, as ``IDQuery`` does, in the path, a parameter or a member of the body.
public protocol IDCommand: HTTPCommand {
    /// The type of the id.
    associatedtype ID: Codable & Hashable & Sendable

    /// The id of the resource.
    var id: ID { get }
}
