package import HTTPTypes

/// Where a request's method and path lead.
package enum HTTPRoute: Sendable {
    /// To this endpoint; the parameters are the path's values, decoded, by the names in braces.
    case found(ServedEndpoint, parameters: [String: String])

    /// The path is known, but not with this method; these are the ones that it is known with, `HEAD` beside `GET`.
    case methodNotAllowed(allowed: [HTTPRequest.Method])

    /// Nowhere; these known paths look most like it.
    case notFound(nearest: [String])
}
