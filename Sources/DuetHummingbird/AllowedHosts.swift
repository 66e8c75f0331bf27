import HTTPTypes
public import Hummingbird
import NIOCore

/// The hosts that a server responds for (RFC 9110, section 15.5.20).
///
/// Without this check a foreign page, whose name has been pointed at this machine, could read responses that are meant
/// for this machine only.
public struct AllowedHosts: Hashable, Sendable {
    /// Host names and addresses in the form of ``canonical(_:)``; nil for any.
    private let names: Set<String>?

    /// Any host, but not a request without one.
    public static var any: AllowedHosts { AllowedHosts(names: nil) }

    /// Only these hosts, with any port: `example.org`, `127.0.0.1`, `::1`, with or without brackets.
    ///
    /// A port in a name is ignored. A name that is not a valid host matches no request.
    public static func only(_ names: Set<String>) -> AllowedHosts {
        AllowedHosts(names: Set(names.map { canonical(Self.name(in: $0) ?? $0[...]) }))
    }

    /// The hosts of a server that listens on an address or a name.
    ///
    /// If only this machine can reach the address (127.0.0.1, ::1, localhost), these are its names and `names`, and
    /// otherwise any host. A name is resolved in the same way as by a server that listens on it.
    public static func listening(on address: String, names: Set<String> = []) -> AllowedHosts {
        guard isOwn(address) else { return .any }
        return .only(names.union(["127.0.0.1", "localhost", "[::1]", address]))
    }

    private init(names: Set<String>?) {
        self.names = names
    }

    /// The reason why a request for an authority is refused, or nil if it is allowed.
    func refusal(of authority: String?) -> Refusal? {
        guard let authority, let name = Self.name(in: authority) else {
            return Refusal(.badRequest, "The Host field must contain a host name, with or without a port.")
        }
        guard let names, !names.contains(Self.canonical(name)) else { return nil }
        return Refusal(.misdirectedRequest, "This server does not respond for \(name.prefix(256)).")
    }

    /// Whether only this machine can reach an address or the address of a name.
    private static func isOwn(_ host: String) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let name = bare.lowercased()
        // These are always loopback names (RFC 6761, section 6.3), the second and third on Linux.
        if ["localhost", "ip6-localhost", "ip6-loopback"].contains(name) || name.hasSuffix(".localhost") {
            return true
        }
        let address = (try? SocketAddress.makeAddressResolvingHost(bare, port: 0))?.ipAddress ?? ""
        return ["127.", "::ffff:127."].contains { address.hasPrefix($0) } || address == "::1"
    }

    /// A name in lowercase, or an IPv6 address in brackets in the spelling of the system.
    private static func canonical(_ host: some StringProtocol) -> String {
        guard host.utf8.contains(UInt8(ascii: ":")) else { return host.lowercased() }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
        let address = (try? SocketAddress(ipAddress: bare, port: 0))?.ipAddress
        return "[\(address ?? bare.lowercased())]"
    }

    /// The name in `name`, `name:port`, `[address]` or `[address]:port`, or nil for anything else (RFC 9110, section
    /// 7.2).
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

/// Refuses requests without a host with 400, and requests for other hosts than the allowed ones with 421.
public struct HostMiddleware<Context: RequestContext>: RouterMiddleware {
    private let hosts: AllowedHosts

    /// Creates a middleware that lets requests for these hosts pass.
    public init(_ hosts: AllowedHosts) {
        self.hosts = hosts
    }

    /// Forwards the request, or responds with a problem of RFC 9457.
    ///
    /// - Throws: The errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let refusal = hosts.refusal(of: request.head.authority) { return refusal.response(to: request.method) }
        return try await next(request, context)
    }
}
