package import HTTPTypes

/// The methods that a question is asked with.
public enum QueryMethod: Hashable, Sendable {
    /// The properties are parameters of the URL, and the answer can be cached.
    case get

    /// The properties are a JSON object in the body, apart from those in the path: for a question that is too long for a URL, or
    /// whose API asks for it.
    ///
    /// It may still be sent again, because a query changes nothing; its answer has no entity tag.
    case post

    /// The method as it is sent.
    package var request: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}
