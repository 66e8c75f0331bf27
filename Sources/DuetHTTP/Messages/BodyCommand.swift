/// A command whose body is one value, such as ``HTTPBytes``.
///
/// Its other properties are parameters of the URL.
public protocol BodyCommand: HTTPCommand {
    /// The type of the body, which is sent as JSON, or unchanged for ``HTTPBytes``.
    associatedtype Body: Codable & Sendable

    /// The body.
    var body: Body { get }

    /// The coding key of the property that a server reads from the body.
    static var bodyProperty: String { get }
}

extension BodyCommand {
    /// The property `body`.
    public static var bodyProperty: String { "body" }

    /// Whether the body is sent unchanged.
    static var sendsBytes: Bool { Body.self == HTTPBytes.self }

    /// Whether the body is an optional ``HTTPBytes``.
    static var mayLackBytes: Bool { Body.self == HTTPBytes?.self }
}
