import NIOCore

/// An IP address, which equals each other text for it.
package struct IPAddress: Hashable, Sendable {
    /// The usual text for it.
    package let text: String

    /// Creates an address from its text; an IPv4 address in the form of IPv6 (RFC 4291, section 2.5.5.2) is itself.
    ///
    /// Fails for a text that is no address.
    package init?(_ text: String) {
        guard text.allSatisfy(\.isASCII), let address = try? SocketAddress(ipAddress: text, port: 0),
            let normal = address.ipAddress
        else { return nil }
        self.text = normal.hasPrefix("::ffff:") && normal.contains(".") ? String(normal.dropFirst(7)) : normal
    }
}
