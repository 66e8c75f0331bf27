public import Foundation
import HTTPTypes

/// The URL that all requests to a server begin with.
public struct BaseURL: Sendable {
    private let url: URL
    let path: Substring
    private let authorization: String?

    /// Checks and splits a URL.
    ///
    /// A user and a password are sent as an `Authorization` field of the Basic scheme (RFC 7617). They must be
    /// percent-encoded: an unencoded `/`, `?` or `#` in a password ends the host, and a part of the password would be
    /// taken for it. ``TokenSource/basic(user:password:)`` takes any text. A slash at the end of the path is ignored.
    ///
    /// - Throws: ``InvalidBaseURL`` if the URL is not http or https, has no host, or has a query or a fragment.
    public init(_ url: URL) throws(InvalidBaseURL) {
        let base: BareURL
        do {
            base = try BareURL(url)
        } catch {
            throw InvalidBaseURL(url: error.url, reason: error.reason)
        }
        guard base.url.query() == nil, base.url.fragment() == nil else {
            throw InvalidBaseURL(url: base.loggable, reason: "it must end with its path, without ? and #")
        }
        self.url = base.url
        authorization = base.authorization
        let path = base.url.path(percentEncoded: true)
        self.path = path.dropLast(path.reversed().prefix { $0 == "/" }.count)
    }

    /// Reads a URL from a text such as `https://api.example/v1`.
    ///
    /// - Throws: ``InvalidBaseURL`` for invalid URLs.
    public init(_ text: String) throws(InvalidBaseURL) {
        // The part of the text that certainly contains neither a password nor a query.
        let shown = String(text.prefix { $0 != "?" && $0 != "#" }.split(separator: "@").last ?? "It")
        let isWeb = ["http:", "https:"].contains { text.lowercased().hasPrefix($0) }
        guard isWeb else { throw InvalidBaseURL(url: shown, reason: "it must begin with http:// or https://") }
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            let host = URLComponents(string: text)?.encodedHost ?? ""
            let isForeign = host.lowercased().contains("xn--") && !text.utf8.allSatisfy { $0 < 0x80 }
            throw InvalidBaseURL(url: shown, reason: isForeign ? "write its host as \(host)" : "it is not a URL")
        }
        try self.init(url)
    }

    /// The URL without user, password and a slash at its end.
    package var text: String {
        let text = url.absoluteString
        return String(text.dropLast(text.reversed().prefix { $0 == "/" }.count))
    }

    /// A request to this URL, without the path and the query of a message.
    func request(_ method: HTTPRequest.Method) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: url)
        request.headerFields[.authorization] = authorization
        return request
    }

    var origin: HTTPOrigin? { HTTPOrigin(request(.get)) }

    /// The path and query of a message below this URL.
    ///
    /// - Parameter path: The percent-encoded path and query, without a leading slash.
    func path(to path: String) -> String {
        // A message without a path is sent to this URL itself.
        path.isEmpty || path.hasPrefix("?") ? (self.path.isEmpty ? "/" : self.path) + path : "\(self.path)/\(path)"
    }
}

/// A URL that cannot be a server's base URL.
public struct InvalidBaseURL: Error, Hashable {
    /// The URL without user, password and query.
    public let url: String

    /// The fault, and the requirement that the URL does not meet.
    public let reason: String
}

extension InvalidBaseURL: CustomStringConvertible {
    /// The URL and the reason.
    public var description: String {
        "\(url) cannot be the server's address: \(reason)."
    }
}
