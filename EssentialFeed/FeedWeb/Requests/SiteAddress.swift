import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird

/// The address under which browsers reach the pages, if it is known.
struct SiteAddress: Sendable {
    /// The address without a trailing slash; nil if the pages have no public address.
    private let base: String?

    /// The host and the port of the address.
    private let authority: String?

    /// Whether browsers connect with https, so that cookies must never be sent without it.
    let isSecure: Bool

    init(_ url: URL?) {
        var base = url?.absoluteString
        while base?.last == "/" { base?.removeLast() }
        self.base = base
        let port = url?.port.map { ":\($0)" } ?? ""
        authority = url?.host(percentEncoded: true).map { $0.lowercased() + port }
        isSecure = url?.scheme?.lowercased() == "https"
    }

    /// Returns the absolute URL of a path, or nil if the public address is unknown.
    ///
    /// The host of a request is no substitute: a preview elsewhere needs an address that other machines can reach.
    func url(of path: String) -> String? {
        base.map { $0 + path }
    }

    /// Returns the address of the reader who sent a request: behind the server of a public address, the one that this
    /// server states last, or else the other end of the connection.
    func client(of request: Request, connectedFrom address: String?) -> String? {
        guard base != nil, let field = HTTPField.Name.forwardedFor, let value = request.headers[values: field].last,
            let client = FieldList.members(of: value).last, client.count <= 64
        else { return address }
        return Self.host(of: String(decoding: client, as: UTF8.self))
    }

    /// The address without the port that some servers append: each connection has another one.
    private static func host(of address: String) -> String {
        if address.hasPrefix("[") { return String(address.dropFirst().prefix { $0 != "]" }) }
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : address
    }

    /// Whether a request was sent by one of these pages.
    ///
    /// Browsers state the sender of every POST request in fields that scripts cannot set: `Sec-Fetch-Site`, or on plain
    /// http between machines only `Origin` (Fetch standard, sections 3.2 and 3.3). A request without both is refused.
    func isOrigin(of request: Request) -> Bool {
        if let site = HTTPField.Name.secFetchSite.flatMap({ request.headers[$0] }) { return site == "same-origin" }
        guard let origin = request.headers[.origin], let separator = origin.firstRange(of: "://") else { return false }
        let sender = origin[separator.upperBound...].lowercased()
        return sender == request.head.authority?.lowercased() || sender == authority
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")
}
