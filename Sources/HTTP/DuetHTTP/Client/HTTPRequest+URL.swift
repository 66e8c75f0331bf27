package import Foundation
package import HTTPTypes

extension HTTPRequest {
    /// The request's URL for an adapter.
    ///
    /// All adapters reject the same requests: those that one of the HTTP libraries rejects, traps on or quietly
    /// changes.
    ///
    /// - Parameter sendingBody: Whether the request has a body of at least one byte.
    /// - Throws: ``HTTPClientError/invalidRequest(reason:)``.
    package func checkedURL(sendingBody: Bool) throws(HTTPClientError) -> URL {
        guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw .invalidRequest(reason: "its scheme must be http or https")
        }
        guard let authority, !authority.isEmpty else {
            throw .invalidRequest(reason: "it has no authority; give it a host")
        }
        // Sending the request without user information would hide that it was lost (RFC 9110, section 4.2.4).
        guard !authority.contains("@") else {
            throw .invalidRequest(reason: "its authority holds a user; send an Authorization field instead")
        }
        // AsyncHTTPClient traps on a port that TCP does not have.
        guard Authority(authority)?.hasPossiblePort != false else {
            throw .invalidRequest(reason: "its port must be 0 to 65535")
        }
        let path = path ?? "/"
        guard path.hasPrefix("/") else {
            throw .invalidRequest(reason: "its path must begin with /")
        }
        // libcurl, under URLSession on Linux, resolves these, so an id of .. would name another resource.
        guard !path.hasDotSegment else {
            throw .invalidRequest(reason: "its path must not hold . or .. between slashes")
        }
        // Servers may close the connection (RFC 9110, section 9.3.1), and URLSession does not send it.
        guard !sendingBody || ![.get, .head, .trace].contains(method) else {
            throw .invalidRequest(reason: "\(method) takes no body")
        }
        guard let url = URL(string: "\(scheme)://\(authority)\(path)"), url.host()?.isEmpty == false else {
            throw .invalidRequest(reason: "\(loggableURL) is not a URL")
        }
        return url
    }
}

extension String {
    /// Whether the path has a segment that clients resolve away (RFC 3986, section 5.2.4).
    fileprivate var hasDotSegment: Bool {
        utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }.split(separator: UInt8(ascii: "/"))
            // Few segments begin like a dot segment, and replacing takes longer than everything else here.
            .filter { $0.first == UInt8(ascii: ".") || $0.first == UInt8(ascii: "%") }
            .contains { [".", ".."].contains(Substring($0).replacing("%2e", with: ".").replacing("%2E", with: ".")) }
    }
}

extension HTTPRequest {
    /// The request's URL without user information and query, which may hold secrets.
    package var loggableURL: String {
        // Search the Unicode scalars: a `?` followed by an accent is another character, and the query would be shown.
        let authority = (authority ?? "").unicodeScalars
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority[...]
        let path = (path ?? "/").unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        return "\(scheme ?? "")://\(String(host))\(String(path))"
    }
}
