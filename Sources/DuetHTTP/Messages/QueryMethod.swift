package import HTTPTypes

/// The methods of queries.
public enum QueryMethod: Hashable, Sendable {
    /// The properties are parameters of the URL, and the response can be cached.
    case get

    /// The properties that are not in the path are a JSON object in the body, for queries that are too long for a URL.
    ///
    /// The request may be repeated, because a query changes nothing. The response has no entity tag.
    case post

    /// The HTTP method.
    package var request: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}
