import HTTPTypes
import NIOCore

/// The hosts that a server answers requests for (RFC 9110, section 15.5.20).
///
/// A page from elsewhere, whose name has been pointed at this machine, could otherwise read answers that are meant for
/// this machine only.
public struct AllowedHosts: Hashable, Sendable {
    /// Host names and addresses as ``canonical(_:)`` writes them; nil for any.
    private let names: Set<String>?

    /// Any host, so long as there is one.
    public static var any: AllowedHosts { AllowedHosts(names: nil) }

    /// These hosts only, whatever the port: `example.org`, `127.0.0.1`, `::1`, with brackets or without.
    ///
    /// A port is taken off; what is no host at all is never asked for.
    public static func only(_ names: Set<String>) -> AllowedHosts {
        AllowedHosts(names: Set(names.map { canonical(Self.name(in: $0) ?? $0[...]) }))
    }

    /// For an address or a name of this machine only (127.0.0.1, ::1, localhost) its names and `names`; for any other
    /// address any host.
    ///
    /// A name is looked up as it is when a server listens on it.
    public static func listening(on address: String, names: Set<String> = []) -> AllowedHosts {
        guard isOwn(address) else { return .any }
        return .only(names.union(["127.0.0.1", "localhost", "[::1]", address]))
    }

    private init(names: Set<String>?) {
        self.names = names
    }

    /// Why a request for an authority is not answered; nil when it is.
    func refusal(of authority: String?) -> Refusal? {
        guard let authority, let name = Self.name(in: authority) else {
            return Refusal(.badRequest, "The Host field must be there and hold a host name, with or without a port.")
        }
        guard let names, !names.contains(Self.canonical(name)) else { return nil }
        return Refusal(.misdirectedRequest, "This server does not answer for \(name.prefix(256)).")
    }

    /// Whether only this machine reaches an address, or the one of a name.
    private static func isOwn(_ host: String) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let name = bare.lowercased()
        // These are never anything else (RFC 6761, section 6.3), the last two on Linux.
        if ["localhost", "ip6-localhost", "ip6-loopback"].contains(name) || name.hasSuffix(".localhost") {
            return true
        }
        let address = (try? SocketAddress.makeAddressResolvingHost(bare, port: 0))?.ipAddress ?? ""
        return ["127.", "::ffff:127."].contains { address.hasPrefix($0) } || address == "::1"
    }

    /// A name in lower case; an IPv6 address in brackets, as the system writes it: one of its many spellings.
    private static func canonical(_ host: some StringProtocol) -> String {
        guard host.utf8.contains(UInt8(ascii: ":")) else { return host.lowercased() }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
        let address = (try? SocketAddress(ipAddress: bare, port: 0))?.ipAddress
        return "[\(address ?? bare.lowercased())]"
    }

    /// The name in `name`, `name:port`, `[address]` or `[address]:port`; nil when it is none of them (RFC 9110,
    /// section 7.2).
    private static func name(in authority: String) -> Substring? {
        let isAddress = authority.utf8.first == UInt8(ascii: "[")
        let end =
            isAddress
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        let (name, port) = (authority[..<end], authority[end...])
        guard !name.isEmpty, name.utf8.allSatisfy({ isNameByte($0, ofAddress: isAddress) }) else { return nil }
        guard port.isEmpty || (port.first == ":" && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return name
    }

    private static func isNameByte(_ byte: UInt8, ofAddress isAddress: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): isAddress
        default: false
        }
    }
}
