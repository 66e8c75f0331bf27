import FeedServing
import Foundation
import HTTPTypes
import Hummingbird

/// The address under which browsers reach the pages, if it is known.
struct SiteAddress {
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

    /// Returns the address of the reader who sent a request.
    func client(of request: Request, connectedFrom address: String?) -> String? {
        request.clientAddress(connectedFrom: address, isForwarded: base != nil)
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
}
