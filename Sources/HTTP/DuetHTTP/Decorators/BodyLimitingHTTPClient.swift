package import HTTPTypes

/// Rejects response bodies that are larger than a limit.
///
/// Adapters read the limit from ``HTTPRequestOptions/maximumBodySize`` and stop reading. For other clients, the body is
/// measured while it is read. A smaller limit that the request already has stays in force.
package struct BodyLimitingHTTPClient: HTTPClientDecorator {
    package let base: any HTTPClient

    private let limit: Int

    package init(_ base: any HTTPClient, bodySize limit: Int) {
        self.base = base
        self.limit = max(0, limit)
    }

    package var summary: String { "bodies of at most \(limit) bytes" }

    /// Sends the request and returns the response, whose body fails beyond the limit.
    ///
    /// - Throws: The errors of `base`; the body throws ``HTTPClientError/bodyTooLarge(url:limit:)``.
    package func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        let limit = min(limit, options.maximumBodySize ?? limit)
        options.maximumBodySize = limit
        let (response, received) = try await options.use { try await base.send(request, body: body) }
        return (response, received.limited(to: limit, for: request))
    }
}

extension HTTPClient {
    /// Rejects response bodies of more than `bodySize` bytes.
    public func limiting(bodySize: Int) -> some HTTPClient {
        BodyLimitingHTTPClient(self, bodySize: bodySize)
    }
}
