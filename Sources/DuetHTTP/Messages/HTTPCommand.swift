public import Duet
public import HTTPTypes

/// A command that is also an HTTP request.
///
/// Its properties are a JSON object in the body, apart from those in the path; of a `DELETE` they are parameters of the query,
/// because content has no meaning there (RFC 9110, section 9.3.5).
public protocol HTTPCommand: Command, HTTPMessage {
    /// With which method it is sent.
    static var method: CommandMethod { get }

    /// The status that a server answers with when the command is done.
    static var successStatus: HTTPResponse.Status { get }
}

extension HTTPCommand {
    /// 204: it is done, and there is nothing to say (RFC 9110, section 15.3.5).
    public static var successStatus: HTTPResponse.Status { .noContent }
}

/// The methods of RFC 9110 and RFC 5789 that change state.
public enum CommandMethod: Hashable, Sendable {
    /// Has something done; repeating it may do it again.
    case post

    /// Puts something in its place; repeating it changes nothing more.
    case put

    /// Changes a part of something.
    case patch

    /// Removes something; repeating it changes nothing more.
    case delete

    /// The method as it is sent.
    package var request: HTTPRequest.Method {
        switch self {
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}
