public import Foundation
import HTTPTypes

/// The part that all of the server's addresses have in common, checked and taken apart.
public struct BaseURL: Sendable {
    private let url: URL
    private let path: Substring
    private let authorization: String?

    /// Takes an address for the server's.
    ///
    /// A user and a password in it are sent as an `Authorization` field of the Basic scheme (RFC 7617). Its scheme, port
    /// and path stay, and a slash at its end is not doubled.
    ///
    /// - Throws: ``InvalidBaseURL`` when it is not http or https, has no host, or has a query or a fragment.
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

    /// Takes a text for the server's address, such as `https://api.example/v1`.
    ///
    /// - Throws: ``InvalidBaseURL`` as for a URL, and when the text is none.
    public init(_ text: String) throws(InvalidBaseURL) {
        // Only what is certain to hold neither a password nor a query: what is no URL has no parts to take out.
        let shown = String(text.prefix { $0 != "?" && $0 != "#" }.split(separator: "@").last ?? "It")
        let isWeb = ["http:", "https:"].contains { text.lowercased().hasPrefix($0) }
        guard isWeb else { throw InvalidBaseURL(url: shown, reason: "it must begin with http:// or https://") }
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            throw InvalidBaseURL(url: shown, reason: "it is not a URL")
        }
        try self.init(url)
    }

    /// A request to this address, which the path and the query of a message are still to be added to.
    func request(_ method: HTTPRequest.Method) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: url)
        request.headerFields[.authorization] = authorization
        return request
    }

    /// The path of a message below this address.
    ///
    /// - Parameter path: Path and query, percent-encoded, without a slash at its start.
    func path(to path: String) -> String {
        // A message without a path of its own is sent to this address itself.
        path.isEmpty || path.hasPrefix("?") ? (self.path.isEmpty ? "/" : self.path) + path : "\(self.path)/\(path)"
    }
}
