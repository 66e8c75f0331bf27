import Foundation
public import HTTPTypes

/// Follows redirects by the rules of RFC 9110, section 15.4, where that is safe.
///
/// - 307 and 308 repeat the request with its body; 303 is followed with GET, and so is a POST after 301 or 302.
/// - Credentials never cross to another origin, and no redirect leads from `https` to `http`.
/// - An `Idempotency-Key` is not a credential. It stays with its command, so a command that is redirected twice is done
///   once.
/// - A redirect without a `Location` is returned as the response.
/// - Content of unknown size is not read, so that it need not end, except by URLSession on Linux.
/// - A redirect that repeats the request is refused if the body came in pieces, which can be read only once.
public struct RedirectingHTTPClient: HTTPClientDecorator {
    /// The client that sends each of the requests.
    public let base: any HTTPClient

    static let followedStatuses: Set<Int> = [301, 302, 303, 307, 308]

    private let limit: Int
    private let secrets: Set<HTTPField.Name>

    package init(_ base: any HTTPClient, atMost limit: Int = 5, secrets: Set<HTTPField.Name> = []) {
        self.base = base
        self.limit = max(0, limit)
        self.secrets = Set.sensitiveHeaderFields.union(secrets)
    }

    /// How many redirects are followed.
    public var summary: String { "redirects, at most \(limit)" }

    /// Sends the request and those that it is redirected to, and returns the first response that is not a redirect.
    ///
    /// - Throws: ``HTTPClientError/tooManyRedirects(url:)`` and ``HTTPClientError/redirectRefused(url:reason:)``; the
    ///   errors of `base`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        options.followsRedirects = true
        var (response, received) = try await options.use { try await base.send(request, body: body) }
        guard response.status.kind == .redirection else { return (response, received) }
        var (request, body) = (request, body)
        var redirects = Redirects(limit: limit, secrets: secrets, start: request)
        while let next = try redirects.next(after: response, to: request, body: body) {
            await received.discard()
            try Task.checkCancellation()
            (request, body) = next
            request.renewTimeout()
            do {
                (response, received) = try await options.use { [request, body] in
                    try await base.send(request, body: body)
                }
            } catch let error as HTTPClientError {
                throw error.afterSending
            }
        }
        return (response, received)
    }
}

extension HTTPClient {
    /// Follows at most `limit` redirects for one request.
    ///
    /// - Parameters:
    ///   - limit: The most redirects for one request; less than 0 counts as 0.
    ///   - secrets: Fields that are removed at another origin, besides `Api-Key`, `Authentication-Info`,
    ///     `Authorization`, `Cookie`, `Proxy-Authentication-Info`, `Proxy-Authorization`, `Set-Cookie`,
    ///     `X-Access-Token`, `X-Amz-Security-Token`, `X-Api-Key`, `X-Auth-Token`, `X-CSRF-Token`, and
    ///     `X-Goog-Api-Key`.
    public func followingRedirects(
        atMost limit: Int = 5,
        secrets: Set<HTTPField.Name> = []
    ) -> RedirectingHTTPClient {
        RedirectingHTTPClient(self, atMost: limit, secrets: secrets)
    }
}

extension HTTPResponse {
    /// Whether the response leads to another address.
    var isRedirect: Bool {
        RedirectingHTTPClient.followedStatuses.contains(status.code) && headerFields[.location] != nil
    }
}

private struct Redirects {
    private let limit: Int
    private let secrets: Set<HTTPField.Name>
    private var followed = 0
    private var seen: Set<String>

    init(limit: Int, secrets: Set<HTTPField.Name>, start: HTTPRequest) {
        self.limit = limit
        self.secrets = secrets
        seen = [Self.key(start)]
    }

    /// The request to send next; nil when the response is not a redirect.
    mutating func next(
        after response: HTTPResponse,
        to request: HTTPRequest,
        body: HTTPBody?
    ) throws(HTTPClientError) -> (HTTPRequest, HTTPBody?)? {
        guard response.isRedirect, let location = response.headerFields[.location] else { return nil }

        let target = try Self.target(location, from: request)
        var next = HTTPRequest(method: request.method, url: target, headerFields: request.headerFields)
        var nextBody = body
        if Self.changesToGet(status: response.status.code, method: request.method) {
            next.method = .get
            nextBody = nil
            for name in Self.fieldsOfTheBody { next.headerFields[name] = nil }
        } else if !body.canBeSentAgain {
            let reason = "the body to send again came in pieces, which are gone; send it as Data"
            throw .redirectRefused(url: request.loggableURL, reason: reason)
        }
        if HTTPOrigin(next) != HTTPOrigin(request) {
            // The server at the new origin could use them at the old one.
            for name in secrets { next.headerFields[name] = nil }
        }

        guard followed < limit, seen.insert(Self.key(next)).inserted else {
            throw .tooManyRedirects(url: request.loggableURL)
        }
        followed += 1
        return (next, nextBody)
    }

    private static func target(_ location: String, from request: HTTPRequest) throws(HTTPClientError) -> URL {
        func refused(_ reason: String) -> HTTPClientError {
            .redirectRefused(url: request.loggableURL, reason: reason)
        }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL,
            let scheme = url.scheme?.lowercased()
        else { throw refused("its Location is not a URL") }
        guard ["http", "https"].contains(scheme), url.host()?.isEmpty == false else {
            throw refused("its Location is not an http or https address")
        }
        guard scheme == "https" || request.scheme?.lowercased() != "https" else {
            throw refused("it leads from https to http, which is not encrypted")
        }
        return url
    }

    private static func changesToGet(status: Int, method: HTTPRequest.Method) -> Bool {
        switch status {
        case 303: method != .head
        case 301, 302: method == .post
        default: false
        }
    }

    /// The fields that describe the body, and the key of the command, which do not apply to the GET that follows it.
    private static let fieldsOfTheBody: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLength, .contentLocation, .expect, .idempotencyKey,
        .lastModified,
    ]

    private static func key(_ request: HTTPRequest) -> String {
        "\(request.method) \(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")"
    }
}
