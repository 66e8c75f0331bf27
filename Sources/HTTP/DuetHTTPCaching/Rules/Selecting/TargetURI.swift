import DuetHTTP
package import HTTPTypes

/// The primary cache key: the target URI, normalized by RFC 9110, section 4.2.3.
///
/// The case of scheme and host, the default port and an empty path make no difference. Path and query are not
/// normalized, because servers distinguish `%7E` and `~`. The key is ASCII, so that keys that are equal as text are
/// equal as bytes.
package struct TargetURI: Sendable, Hashable {
    package let uri: String

    /// The key of a request's target.
    ///
    /// Fails without an HTTP scheme or a host, for an authority with a user, and for a target with invalid characters,
    /// such as those of a fragment.
    package init?(_ request: HTTPRequest) {
        let target = request.path ?? "/"
        guard let origin = Self.origin(request.scheme, request.authority),
            FieldSyntax.all(of: target, are: Self.isOfTarget)
        else {
            return nil
        }
        self.init(origin: origin, target: target)
    }

    /// The key of a URI reference in the response to a request.
    ///
    /// Fails for references to other origins. Characters that should have been percent-encoded are encoded, as clients
    /// do when they follow a reference.
    package init?(_ reference: HTTPField, relativeTo request: HTTPRequest) {
        guard request.path.map({ FieldSyntax.all(of: $0, are: Self.isOfTarget) }) ?? true else { return nil }
        let resolved = URIReference(PercentEncoding.escaped(reference.bytes)).resolved(
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
        FieldSyntax.isVisible(byte) && byte != UInt8(ascii: "#")
    }

    private static func isOfAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), FieldSyntax.backslash: false
        default: FieldSyntax.isVisible(byte)
        }
    }

    private static func origin(_ scheme: String?, _ authority: String?) -> String? {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https",
            let text = authority, FieldSyntax.all(of: text, are: isOfAuthority), let authority = Authority(text)
        else { return nil }
        return scheme + "://" + authority.text(withoutDefaultPortOf: scheme)
    }
}
