/// A command for the thing with an id.
public protocol IDCommand: HTTPCommand {
    /// The type of the id.
    associatedtype ID: Codable & Hashable & Sendable

    /// The id.
    var id: ID { get }
}
