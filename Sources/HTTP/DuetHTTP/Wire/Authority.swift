package import HTTPTypes

/// The authority of a URL or the value of a `Host` field (RFC 3986, section 3.2): a host and an optional port.
///
/// Splitting accepts any text with a host. ``isServerName`` and ``hasPossiblePort`` check it.
package struct Authority: Hashable, Sendable {
    /// The host in lowercase, an IPv6 address in brackets.
    package let host: Substring

    /// The text after the colon; empty without a port.
    package let port: Substring

    /// Whether a user precedes the host.
    package let hasUser: Bool

    /// The refusal of a request whose `Host` field is not the name of a server.
    package static let refusal = "The Host field must contain a host name, with or without a port."

    /// Fails for a text without a host.
    package init?(_ text: String) {
        let text = text.lowercased()
        let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
        hasUser = at != nil
        let server = text[(at.map(text.utf8.index(after:)) ?? text.startIndex)...]
        // The colons between brackets are part of an IPv6 address.
        if let colon = server.utf8.lastIndex(of: UInt8(ascii: ":")), !server[colon...].utf8.contains(UInt8(ascii: "]"))
        {
            host = server[..<colon]
            port = server[server.utf8.index(after: colon)...]
        } else {
            host = server
            port = ""
        }
        if host.isEmpty { return nil }
    }

    /// Whether the port is empty or a number that TCP has.
    package var hasPossiblePort: Bool {
        port.isEmpty || port.utf8.allSatisfy(FieldSyntax.isDigit) && UInt16(port) != nil
    }

    /// Whether this is the name or the address of an Internet host, without a user (RFC 9110, section 7.2).
    package var isServerName: Bool {
        guard !hasUser, hasPossiblePort else { return false }
        guard host.utf8.first == UInt8(ascii: "[") else { return host.utf8.allSatisfy(Self.isNameByte) }
        let address = host.utf8.dropFirst().dropLast()
        return host.utf8.last == UInt8(ascii: "]") && !address.isEmpty
            && address.allSatisfy { Self.isNameByte($0) || $0 == UInt8(ascii: ":") }
    }

    package func text(withoutDefaultPortOf scheme: String) -> String {
        port.isEmpty || port == Self.defaultPort(of: scheme) ? String(host) : "\(host):\(port)"
    }

    /// The default port of `http` or `https` (RFC 9110, section 4.2).
    package static func defaultPort(of scheme: String) -> Substring {
        scheme == "https" ? "443" : "80"
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: FieldSyntax.isAlphanumeric(byte)
        }
    }
}

/// Scheme, host and port, which all URLs of one server have in common (RFC 9110, section 4.3.1).
///
/// Different spellings of a host count as different hosts, so that no credentials go to the wrong one.
package struct HTTPOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: Substring
    private let port: Substring

    /// The origin as at the beginning of a URL.
    var description: String { "\(scheme)://\(host):\(port)" }

    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), let authority = request.authority.flatMap(Authority.init)
        else { return nil }
        self.scheme = scheme
        host = authority.host
        port = authority.port.isEmpty ? Authority.defaultPort(of: scheme) : authority.port
    }
}
