package import HTTPTypes

extension HTTPRequest.Method {
    /// The method, or `_OTHER` for an unknown one: a sender can use any, and metrics and traces must not grow with them.
    package var knownName: String { known.contains(self) ? rawValue : "_OTHER" }
}

/// The methods of RFC 9110, section 9.3, and RFC 5789.
private let known: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]
