import Foundation
import HTTPTypes

/// Where a request goes after a redirect, if it may go there.
///
/// The rules are those of RFC 9110, section 15.4: 307 and 308 repeat the request, 303 asks with GET, and so does a POST
/// after 301 or 302.
struct Redirects {
    /// Those that are followed, where the answer says where to.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    private let limit: Int
    private let secrets: Set<HTTPField.Name>
    private var followed = 0
    private var seen: Set<String>

    init(limit: Int, secrets: Set<HTTPField.Name>, start: HTTPRequest) {
        self.limit = limit
        self.secrets = secrets
        seen = [Self.key(start)]
    }

    /// The request to send next, or nil when the response is no redirect.
    mutating func next(
        after response: HTTPResponse,
        to request: HTTPRequest,
        body: HTTPBody?
    ) throws(HTTPClientError) -> (HTTPRequest, HTTPBody?)? {
        guard Self.statuses.contains(response.status.code),
            let location = response.headerFields[.location]
        else { return nil }

        let target = try Self.target(location, from: request)
        var next = HTTPRequest(method: request.method, url: target, headerFields: request.headerFields)
        var nextBody = body
        if Self.asksWithGet(status: response.status.code, method: request.method) {
            next.method = .get
            nextBody = nil
            for name in Self.fieldsOfTheBody { next.headerFields[name] = nil }
        } else if body?.isGoneWhenSent == true {
            let reason = "the body that it asks for again came in pieces, which are gone; send it as Data"
            throw .redirectRefused(url: request.loggableURL, reason: reason)
        }
        if HTTPOrigin(next) != HTTPOrigin(request) {
            // What the server at the other end would be told with them it could use at this one.
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

    /// The key marks the command that the GET after it no longer is.
    private static let fieldsOfTheBody: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLength, .contentLocation, .expect, .idempotencyKey,
        .lastModified,
    ]

    private static func key(_ request: HTTPRequest) -> String {
        "\(request.method) \(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")"
    }
}
