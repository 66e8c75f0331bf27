package import HTTPTypes

/// Scheme, host and port: what two addresses must have in common to belong to one server (RFC 9110, section 4.3.1).
///
/// Where two spellings might mean one host, they count as two, so that no credentials go astray.
package struct HTTPOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: Substring
    private let port: Substring

    /// Where the request goes; nil when it does not say.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), let authority = request.authority?.lowercased() else {
            return nil
        }
        let server = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        self.scheme = scheme
        // The colons between brackets belong to an IPv6 address.
        if let colon = server.lastIndex(of: ":"), !server[colon...].contains("]") {
            host = server[..<colon]
            port = Self.port(server[server.index(after: colon)...], scheme)
        } else {
            host = server
            port = Self.port("", scheme)
        }
        guard !host.isEmpty else { return nil }
    }

    private static func port(_ port: Substring, _ scheme: String) -> Substring {
        guard port.isEmpty else { return port }
        return scheme == "https" ? "443" : "80"
    }
}
