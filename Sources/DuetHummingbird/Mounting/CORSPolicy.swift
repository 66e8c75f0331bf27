import DuetHTTP
public import HTTPTypes

/// Which web pages of other origins may use an API from a browser (the Fetch standard, section 3.3).
public struct CORSPolicy: Sendable {
    /// The origins of the pages, each exactly as a browser sends it: `https://example.org`, with a port if it is not
    /// the scheme's own.
    public var origins: Set<String>

    /// Fields that a page may set, besides those that it always may.
    public var requestHeaders: [HTTPField.Name]

    /// Fields of an answer that a page may read, besides those that it always may.
    public var responseHeaders: [HTTPField.Name]

    /// Whether requests of these pages may carry cookies.
    public var allowsCredentials: Bool

    /// For how long a browser may remember what it was allowed.
    public var maximumAge: Duration

    /// Makes a policy for pages of these origins.
    public init(
        origins: Set<String>,
        requestHeaders: [HTTPField.Name] = CORSPolicy.defaultRequestHeaders,
        responseHeaders: [HTTPField.Name] = [.eTag, .location, .retryAfter, .wwwAuthenticate],
        allowsCredentials: Bool = false,
        maximumAge: Duration = .seconds(600)
    ) {
        self.origins = origins
        self.requestHeaders = requestHeaders
        self.responseHeaders = responseHeaders
        self.allowsCredentials = allowsCredentials
        self.maximumAge = maximumAge
    }

    /// The fields that a client of Duet sends.
    public static var defaultRequestHeaders: [HTTPField.Name] {
        [.authorization, .contentType, .idempotencyKey, .ifNoneMatch, .requestTimeout]
    }
}
