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
