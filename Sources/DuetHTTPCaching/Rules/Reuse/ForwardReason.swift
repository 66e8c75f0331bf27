/// Why a request goes to the origin (RFC 9211, section 2.2).
public enum ForwardReason: String, Sendable, Hashable, CaseIterable {
    /// The cache does not handle such a request.
    case bypass

    /// The method's answers are not stored.
    case method

    /// Nothing is stored for the URI.
    case uriMiss = "uri-miss"

    /// What is stored for the URI was selected by other fields (RFC 9111, section 4.1).
    case varyMiss = "vary-miss"

    /// Nothing stored fits the request.
    case miss

    /// What is stored is fresh, but the request asks for more.
    case request

    /// What is stored is stale, or has to be validated each time.
    case stale

    /// Part of the representation is stored, and other parts are asked for.
    case partial
}
