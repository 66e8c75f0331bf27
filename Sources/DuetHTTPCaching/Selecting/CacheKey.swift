package import HTTPTypes

/// The primary key: the target URI, normalised as little as RFC 9110, section 4.2.3, lets equal ones differ.
///
/// Letters of scheme and host, the default port and an empty path make no difference; path and query do as they are
/// written, because servers tell `%7E` from `~`.
package struct CacheKey: Sendable, Hashable {
    package let uri: String

    /// Nil for a request that is no HTTP request to a host, or one on behalf of a user named in its address.
    package init?(_ request: HTTPRequest) {
        guard let origin = Self.origin(request.scheme, request.authority) else { return nil }
        self.init(origin: origin, target: request.path ?? "/")
    }

    /// The key of a URI reference in an answer to that request; nil when it leads to another origin, or nowhere.
    package init?(_ reference: String, relativeTo request: HTTPRequest) {
        let resolved = URIReference(reference).resolved(
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
        let path = target.prefix { $0 != "#" }
        guard path.isEmpty || path.hasPrefix("/") || path.hasPrefix("?") else { return nil }
        uri = origin + (path.hasPrefix("/") ? "" : "/") + path
    }

    private static func origin(_ scheme: String?, _ authority: String?) -> String? {
        guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme),
            var authority = authority?.lowercased(), !authority.contains("@")
        else { return nil }
        let defaultPort = scheme == "http" ? ":80" : ":443"
        if authority.hasSuffix(defaultPort) {
            authority.removeLast(defaultPort.count)
        } else if authority.hasSuffix(":") {
            authority.removeLast()
        }
        return authority.isEmpty ? nil : "\(scheme)://\(authority)"
    }
}
