import DuetHTTP
import Foundation
import HTTPTypes

/// Where a request goes after a redirect, if it may go there.
///
/// The rules are those of RFC 9110, section 15.4: 307 and 308 repeat the request, 303 asks with GET, and so does a POST
/// after 301 or 302.
struct Redirects {
    private let limit: Int
    private var followed = 0
    private var seen: Set<String>

    init(limit: Int, start: HTTPRequest) {
        self.limit = limit
        seen = [Self.key(start)]
    }

    /// The request to send next, or nil when the response is no redirect.
    mutating func next(
        after response: HTTPResponse,
        to request: HTTPRequest,
        body: Data?
    ) throws -> (HTTPRequest, Data?)? {
        guard [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.headerFields[.location]
        else { return nil }

        let target = try Self.target(location, from: request)
        var next = HTTPRequest(method: request.method, url: target, headerFields: request.headerFields)
        var nextBody = body
        if Self.asksWithGet(status: response.status.code, method: request.method) {
            next.method = .get
            nextBody = nil
            for name in [HTTPField.Name.contentType, .contentEncoding, .contentLanguage, .contentLocation] {
                next.headerFields[name] = nil
            }
        }
        if Self.origin(target) != request.url.map(Self.origin) {
            for name in [HTTPField.Name.authorization, .cookie, .proxyAuthorization] {
                next.headerFields[name] = nil
            }
        }

        guard followed < limit, seen.insert(Self.key(next)).inserted else {
            throw HTTPClientError.tooManyRedirects(url: request.loggableURL)
        }
        followed += 1
        return (next, nextBody)
    }

    private static func target(_ location: String, from request: HTTPRequest) throws -> URL {
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
            throw refused("from https to http, where anyone can read along")
        }
        return url
    }

    private static func asksWithGet(status: Int, method: HTTPRequest.Method) -> Bool {
        switch status {
        case 303: method != .head
        case 301, 302: method == .post
        default: false
        }
    }

    /// Scheme, host and port, as RFC 6454 compares them.
    private static func origin(_ url: URL) -> [String] {
        let scheme = url.scheme?.lowercased() ?? ""
        return [scheme, url.host()?.lowercased() ?? "", String(url.port ?? (scheme == "https" ? 443 : 80))]
    }

    private static func key(_ request: HTTPRequest) -> String {
        "\(request.method) \(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")"
    }
}
