public import HTTPTypes

/// Takes no answers with larger bodies than this.
///
/// Clients that can stop reading are told by ``HTTPRequestOptions/maximumBodySize``; of those that cannot, the body is
/// measured when it is there, or while it is read. A smaller limit that the request already has stays.
public struct BodyLimitingHTTPClient: HTTPClientDecorator {
    /// The client whose answers are measured.
    public let base: any HTTPClient

    private let limit: Int

    /// Takes bodies of at most `limit` bytes; less than 0 counts as 0.
    public init(_ base: any HTTPClient, bodySize limit: Int) {
        self.base = base
        self.limit = max(0, limit)
    }

    /// How large a body may be.
    public var summary: String { "bodies of at most \(limit) bytes" }

    /// Sends the request and returns the answer, whose body fails where it becomes too large.
    ///
    /// - Throws: What `base` throws; the body ``HTTPClientError/bodyTooLarge(url:limit:)``.
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        let limit = min(limit, options.maximumBodySize ?? limit)
        options.maximumBodySize = limit
        let (response, answer) = try await options.use { try await base.stream(request, body: body) }
        return (response, answer.limited(to: limit, answering: request))
    }
}

extension HTTPClient {
    /// Takes no answers with bodies of more than `bodySize` bytes.
    public func limiting(bodySize: Int) -> BodyLimitingHTTPClient {
        BodyLimitingHTTPClient(self, bodySize: bodySize)
    }
}
