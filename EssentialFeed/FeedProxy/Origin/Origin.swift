public import Foundation

/// The server that a proxy stands before.
public struct Origin: Sendable, Hashable {
    /// Whether it is spoken to over TLS.
    public let isSecure: Bool

    /// Its name or address, an IPv6 address without brackets.
    public let host: String

    /// Its port, that of the scheme unless the URL named one.
    public let port: Int

    /// Reads an address such as `http://127.0.0.1:8080`.
    ///
    /// - Throws: ``InvalidOrigin`` when it is not http or https, has no host, or says more than scheme, host and port.
    public init(_ url: URL) throws(InvalidOrigin) {
        func invalid(_ reason: String) -> InvalidOrigin { InvalidOrigin(reason: reason) }
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw invalid("it must begin with http:// or https://")
        }
        guard let host = url.host(), !host.isEmpty else { throw invalid("it names no host") }
        guard url.user() == nil, url.password() == nil else { throw invalid("it must not name a user") }
        guard ["", "/"].contains(url.path(percentEncoded: true)), url.query() == nil, url.fragment() == nil else {
            throw invalid("it must end with its host or port, as requests bring their own path")
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else { throw invalid("its port is not one of 1 to 65535") }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }
}

extension Origin: CustomStringConvertible {
    /// Its URL.
    public var description: String {
        "\(isSecure ? "https" : "http")://\(authority)"
    }

    /// What names it in a `Host` field.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
