/// Why a request goes to the origin (RFC 9211, section 2.2).
public enum ForwardReason: String, Sendable, Hashable, CaseIterable {
    /// The cache does not handle such requests.
    case bypass

    /// Responses to the method are not stored.
    case method

    /// Nothing is stored for the URI.
    case uriMiss = "uri-miss"

    /// The responses that are stored for the URI are selected by other request fields (RFC 9111, section 4.1).
    case varyMiss = "vary-miss"

    /// No stored response can be used for the request.
    case miss

    /// The request has directives or conditions that the stored response does not satisfy.
    case request

    /// The stored response is stale, or has to be validated each time.
    case stale

    /// A part of the representation was stored, and the request needed other bytes.
    ///
    /// Only other caches report this.
    case partial
}
