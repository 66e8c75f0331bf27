package import HTTPTypes

/// The primary key: the target URI, normalised as little as RFC 9110, section 4.2.3, lets equal ones differ.
///
/// Letters of scheme and host, the default port and an empty path make no difference; path and query do as they are
/// written, because servers tell `%7E` from `~`. It is all ASCII, so that no two keys are equal as text and differ as bytes.
package struct CacheKey: Sendable, Hashable {
    package let uri: String

    /// Nil for a request that is no HTTP request to a host, one on behalf of a user named in its address, and one whose target
    /// holds what no target may hold, as a fragment or a letter that is not escaped: who knows what a server makes of it.
    package init?(_ request: HTTPRequest) {
        let target = request.path ?? "/"
        guard let origin = Self.origin(request.scheme, request.authority), Bytes.all(of: target, are: Self.isOfTarget)
        else {
            return nil
        }
        self.init(origin: origin, target: target)
    }

    /// The key of a URI reference in an answer to that request; nil when it leads to another origin, or nowhere.
    ///
    /// What should have been escaped in it is, as who follows it does.
    package init?(_ reference: HTTPField, relativeTo request: HTTPRequest) {
        guard request.path.map({ Bytes.all(of: $0, are: Self.isOfTarget) }) ?? true else { return nil }
        let resolved = URIReference(Bytes.escaped(reference.bytes)).resolved(
            scheme: request.scheme ?? "",
            authority: request.authority ?? "",
            target: request.path ?? "/"
        )
        guard let origin = Self.origin(request.scheme, request.authority),
            Self.origin(resolved.scheme, resolved.authority) == origin
        else { return nil }
        self.init(origin: origin, target: resolved.target)
    }

    private init?(origin: String, target: String) {
        switch target.utf8.first {
        case UInt8(ascii: "/"): uri = origin + target
        case UInt8(ascii: "?"), nil: uri = origin + "/" + target
        default: return nil
        }
    }

    private static func isOfTarget(_ byte: UInt8) -> Bool {
        Bytes.isVisible(byte) && byte != UInt8(ascii: "#")
    }

    private static func isOfAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), Bytes.backslash: false
        default: Bytes.isVisible(byte)
        }
    }

    private static func origin(_ scheme: String?, _ authority: String?) -> String? {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority, Bytes.all(of: authority, are: isOfAuthority)
        else { return nil }
        let server = withoutDefaultPort(authority.lowercased(), of: scheme)
        return server.isEmpty ? nil : scheme + "://" + server
    }

    /// A server without the port that its scheme has anyway.
    package static func withoutDefaultPort(_ authority: String, of scheme: String) -> String {
        let defaultPort = scheme == "http" ? ":80" : ":443"
        if authority.hasSuffix(defaultPort) { return String(authority.dropLast(defaultPort.count)) }
        return authority.hasSuffix(":") ? String(authority.dropLast()) : authority
    }
}
