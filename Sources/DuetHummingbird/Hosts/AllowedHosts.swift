import HTTPTypes

/// The hosts that a server answers requests for (RFC 9110, section 15.5.20).
///
/// A page from elsewhere, whose name has been pointed at this machine, could otherwise read answers that are meant for
/// this machine only.
public struct AllowedHosts: Hashable, Sendable {
    /// Host names and addresses in lower case, an IPv6 address in brackets; nil for any.
    private let names: Set<String>?

    /// Any host, so long as there is one.
    public static var any: AllowedHosts { AllowedHosts(names: nil) }

    /// These hosts only, whatever the port: `example.org`, `127.0.0.1`, `[::1]`.
    public static func only(_ names: Set<String>) -> AllowedHosts {
        AllowedHosts(names: Set(names.map { $0.lowercased() }))
    }

    /// For an address of this machine only (127.0.0.1, ::1, localhost) its names and `names`; for any other address
    /// any host.
    public static func listening(on address: String, names: Set<String> = []) -> AllowedHosts {
        let address = address.lowercased()
        let own: Set = ["127.0.0.1", "localhost", "[::1]"]
        let isOwn = own.contains(address) || address == "::1" || address.hasPrefix("127.")
        return isOwn ? .only(own.union(names).union([address])) : .any
    }

    private init(names: Set<String>?) {
        self.names = names
    }

    /// Why a request for an authority is not answered; nil when it is.
    func refusal(of authority: String?) -> Refusal? {
        guard let authority, let name = Self.name(in: authority) else {
            return Refusal(.badRequest, "The Host field must be there and hold a host name, with or without a port.")
        }
        guard let names, !names.contains(name.lowercased()) else { return nil }
        return Refusal(.misdirectedRequest, "This server does not answer for \(name.prefix(256)).")
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
