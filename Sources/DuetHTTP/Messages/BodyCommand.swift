/// A command with a body of a type of its own, ``HTTPBytes`` among them; its other properties are parameters of the URL.
public protocol BodyCommand: HTTPCommand {
    /// What is sent: as JSON, or as it is when the type is ``HTTPBytes``.
    associatedtype Body: Codable & Sendable

    /// What is sent.
    var body: Body { get }

    /// The coding key of the property that a server reads from the body.
    static var bodyProperty: String { get }
}

extension BodyCommand {
    /// The property `body`.
    public static var bodyProperty: String { "body" }

    /// Whether the body is sent as it is.
    static var sendsBytes: Bool { Body.self == HTTPBytes.self }

    /// Whether it would be, if there is one.
    static var mayLackBytes: Bool { Body.self == HTTPBytes?.self }
}
