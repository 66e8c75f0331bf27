import DuetHTTP
import Foundation
package import HTTPTypes

/// The primary key: the target URI, normalised as little as RFC 9110, section 4.2.3, lets equal ones differ.
///
/// Letters of scheme and host, the default port and an empty path make no difference; path and query do as they are
/// written, because servers tell `%7E` from `~`.
package struct CacheKey: Sendable, Hashable {
    package let uri: String

    /// Nil for a request that is no HTTP request to a host, or one on behalf of a user named in its address.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), ["http", "https"].contains(scheme),
            var authority = request.authority?.lowercased(), !authority.isEmpty, !authority.contains("@")
        else { return nil }
        let defaultPort = scheme == "http" ? ":80" : ":443"
        if authority.hasSuffix(defaultPort) {
            authority.removeLast(defaultPort.count)
        } else if authority.hasSuffix(":") {
            authority.removeLast()
        }
        let path = request.path ?? "/"
        let target = path.isEmpty ? "/" : path.hasPrefix("?") ? "/" + path : path
        guard target.hasPrefix("/") else { return nil }
        uri = "\(scheme)://\(authority)\(target.prefix { $0 != "#" })"
    }

    /// The key of a URI reference in an answer to that request; nil when it leads to another origin, or nowhere.
    package init?(_ reference: String, relativeTo request: HTTPRequest) {
        guard let base = request.url, let url = URL(string: reference, relativeTo: base)?.absoluteURL else {
            return nil
        }
        let target = HTTPRequest(method: .get, url: url)
        guard let origin = HTTPOrigin(request), HTTPOrigin(target) == origin else { return nil }
        self.init(target)
    }
}
