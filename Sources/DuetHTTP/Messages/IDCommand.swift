/// A command about the one thing of an id.
public protocol IDCommand: HTTPCommand {
    /// What the thing is known by.
    associatedtype ID: Codable & Hashable & Sendable

    /// What the thing is known by.
    var id: ID { get }
}
