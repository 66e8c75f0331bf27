package import HTTPTypes

/// The result of routing a request.
package enum HTTPRoute: Sendable {
    /// An endpoint and the decoded values of the path, by the names in braces.
    case found(ServedEndpoint, parameters: [String: String])

    /// The path exists with other methods, which include `HEAD` beside `GET`.
    case methodNotAllowed(allowed: [HTTPRequest.Method])

    /// An unknown path, with the most similar known paths.
    case notFound(nearest: [String])
}
