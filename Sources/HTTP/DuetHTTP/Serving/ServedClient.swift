package import Duet
import Foundation

/// A client of a server, which has one quota and one share of the live queries.
///
/// A client is a principal, an IPv4 address, or the first 64 bits of an IPv6 address, which is what one household or
/// server gets. A principal is never the client of an address, also if its identifier is the text of one.
package enum ServedClient: Hashable, Sendable {
    /// The bytes of an identifier, because different texts can be equal.
    case principal([UInt8])
    case network([UInt8])
    /// A text that is not an address, which a proxy may state.
    case name(String)

    package init(_ principal: Principal) { self = .principal(Array(principal.id.utf8)) }

    package init(address: String) {
        // The zone of a link-local address (RFC 4007, section 11).
        let network = IPAddress(String(address.prefix { $0 != "%" }))?.network
        self = network.map(Self.network) ?? .name(address)
    }
}

/// An IP address, which equals each other text for it.
package struct IPAddress: Hashable, Sendable {
    /// 4 bytes, or 16 of IPv6.
    private let bytes: [UInt8]

    /// Creates an address from its text; an IPv4 address in the form of IPv6 (RFC 4291, section 2.5.5.2) is itself.
    ///
    /// Fails for a text that is not an address.
    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        // The text of a C function ends at U+0000.
        guard !text.utf8.contains(0) else { return nil }
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            let isIPv4 = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
            self.bytes = isIPv4 ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    fileprivate var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}
