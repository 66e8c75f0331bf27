/// The reason why a response is not stored (RFC 9111, section 3), reported as `detail` in `Cache-Status`.
@nonexhaustive
public enum NotStored: String, Sendable, Hashable, CaseIterable {
    /// The method is not GET, and not a POST whose response may be stored.
    case method

    /// The request has no valid HTTP URI with a host (section 2).
    case target

    /// A GET has a body, which its URI does not identify.
    case requestBody = "request-body"

    /// A layer nearer to the network adds credentials of an unknown user, or credentials are invalid UTF-8 and cannot
    /// be distinguished from others.
    case hiddenCredentials = "hidden-credentials"

    /// The status code is not final, or the response only applies to the conditions or the range of this request.
    case status

    /// Neither the origin nor the status code allows storing.
    case notCacheable = "not-cacheable"

    /// `must-understand` with a status code that this cache does not understand (section 5.2.2.3).
    case notUnderstood = "not-understood"

    /// The request or the response contains `no-store` (sections 5.2.1.5 and 5.2.2.5).
    case noStore = "no-store"

    /// `Vary` is `*`, contains an invalid name or too many fields, or selects by a value that is invalid UTF-8 (section
    /// 4.1).
    case vary

    /// The response can never be used without a new request: it has no lifetime or `no-cache`, and no validator; or it
    /// is an error that is stale already.
    case noFreshness = "no-freshness"

    /// The request asks for a range of bytes, which is left to the origin.
    case range

    /// The response is an event stream, which is passed on as it arrives.
    case eventStream = "event-stream"

    /// The body is larger than `CachingHTTPClient.Configuration(maximumBodySize:)`, and is passed on as it arrives.
    case tooLarge = "too-large"

    /// The origin failed, which does not replace a stored response (section 4.3.3).
    case originError = "origin-error"

    /// `Vary` selects by a sensitive request field, which is not written to a durable store.
    case secret = "secret-not-stored"

    /// The body does not have the announced length.
    case incomplete

    /// The response was invalidated or replaced by a newer one while it was received.
    case outdated

    /// The store has no room for the response, or has failed, which is reported.
    case store
}
