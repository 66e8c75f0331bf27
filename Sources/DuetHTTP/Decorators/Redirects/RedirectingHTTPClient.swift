public import HTTPTypes

/// Follows redirects by the rules of RFC 9110, section 15.4, and no further than is safe.
///
/// 307 and 308 repeat the request with its body, 303 asks with GET, and so does a POST after 301 or 302. Credentials never
/// cross to another origin, and nothing goes from `https` to `http`. An `Idempotency-Key` is no credential and goes along
/// with its command, so that a command which is redirected twice is still done once. A redirect that does not say where to
/// is the answer. One that repeats the request is refused when its body came in pieces, which are gone.
public struct RedirectingHTTPClient: HTTPClientDecorator {
    /// The client that sends each request on the way.
    public let base: any HTTPClient

    private let limit: Int
    private let secrets: Set<HTTPField.Name>

    /// Follows at most `limit` redirects for one request, and takes the fields `secrets`, like the common ones, to no other origin.
    public init(_ base: any HTTPClient, atMost limit: Int = 5, secrets: Set<HTTPField.Name> = []) {
        self.base = base
        self.limit = max(0, limit)
        self.secrets = Set.secrets.union(secrets)
    }

    /// How many redirects are followed.
    public var summary: String { "redirects, at most \(limit)" }

    /// Sends the request, then the ones that it is redirected to, and returns the first answer that is no redirect.
    ///
    /// - Throws: ``HTTPClientError/tooManyRedirects(url:)`` and ``HTTPClientError/redirectRefused(url:reason:)``, besides
    ///   what `base` throws.
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var answer = try await base.stream(request, body: body)
        guard answer.0.status.kind == .redirection else { return answer }
        var (request, body) = (request, body)
        var redirects = Redirects(limit: limit, secrets: secrets, start: request)
        while let next = try redirects.next(after: answer.0, to: request, body: body) {
            await answer.1.discard()
            try Task.checkCancellation()
            (request, body) = next
            request.renewTimeout()
            do {
                answer = try await base.stream(request, body: body)
            } catch let error as HTTPClientError {
                throw error.afterSending
            }
        }
        return answer
    }
}

extension HTTPClient {
    /// Follows at most `limit` redirects for one request, and takes the fields `secrets`, like the common ones, to no other origin.
    public func followingRedirects(
        atMost limit: Int = 5,
        secrets: Set<HTTPField.Name> = []
    ) -> RedirectingHTTPClient {
        RedirectingHTTPClient(self, atMost: limit, secrets: secrets)
    }
}
