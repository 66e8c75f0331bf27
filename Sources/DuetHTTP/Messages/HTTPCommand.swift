public import Duet
public import HTTPTypes

/// A command that is sent as an HTTP request.
///
/// Properties that are not in the path are a JSON object in the body. For `DELETE` they are parameters of the query,
/// because content has no meaning there (RFC 9110, section 9.3.5).
public protocol HTTPCommand: Command, HTTPMessage {
    /// The method of the request.
    static var method: CommandMethod { get }

    /// The status of a successful response.
    static var successStatus: HTTPResponse.Status { get }
}

extension HTTPCommand {
    /// 204 No Content (RFC 9110, section 15.3.5).
    public static var successStatus: HTTPResponse.Status { .noContent }
}

/// The methods of RFC 9110 and RFC 5789 that change state.
public enum CommandMethod: Hashable, Sendable {
    /// Processes the request; not idempotent.
    case post

    /// Creates or replaces a resource; idempotent.
    case put

    /// Changes a part of a resource.
    case patch

    /// Removes a resource; idempotent.
    case delete

    /// The HTTP method.
    package var request: HTTPRequest.Method {
        switch self {
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}

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
