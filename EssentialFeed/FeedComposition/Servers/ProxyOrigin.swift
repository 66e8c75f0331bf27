import DuetHTTP
public import Foundation
import HTTPTypes

/// The server behind a proxy.
public struct ProxyOrigin: Sendable, Hashable, CustomStringConvertible {
    let scheme: String
    let authority: String

    /// The origin's URL.
    public var description: String { "\(scheme)://\(authority)" }

    /// Reads an address such as `http://127.0.0.1:8080`.
    ///
    /// - Throws: ``InvalidOrigin`` unless it is an http or https URL of a host and, optionally, a port.
    public init(_ url: URL) throws(InvalidOrigin) {
        func invalid(_ reason: String) -> InvalidOrigin { InvalidOrigin(reason: reason) }
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw invalid("it must begin with http:// or https://")
        }
        guard let host = url.host(), !host.isEmpty else { throw invalid("it has no host") }
        guard url.user() == nil, url.password() == nil else { throw invalid("it must not contain a user") }
        guard ["", "/"].contains(url.path(percentEncoded: true)), url.query() == nil, url.fragment() == nil else {
            throw invalid("it must end with its host or port, because each request has its own path")
        }
        let defaultPort = scheme == "https" ? 443 : 80
        let port = url.port ?? defaultPort
        guard (1...65_535).contains(port) else { throw invalid("its port must be 1 to 65535") }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self.scheme = scheme
        authority = port == defaultPort ? name : "\(name):\(port)"
    }
}

/// An address that cannot be the origin of a proxy.
public struct InvalidOrigin: Error, CustomStringConvertible {
    /// The fault in the address.
    public let reason: String

    /// The fault, and an example of a valid address.
    public var description: String { "This is not an origin: \(reason). Write one like http://127.0.0.1:8080" }
}

/// Sends every request to the origin, whatever host it names.
struct OriginClient: HTTPClient {
    let base: any HTTPClient
    let origin: ProxyOrigin

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.scheme = origin.scheme
        request.authority = origin.authority
        return try await base.send(request, body: body)
    }
}
