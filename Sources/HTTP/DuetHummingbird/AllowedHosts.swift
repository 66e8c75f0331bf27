public import DuetHTTP
import HTTPTypes
public import Hummingbird
import NIOCore

/// The hosts that a server accepts requests for (RFC 9110, section 15.5.20).
///
/// Otherwise a web page whose host name resolves to this machine could read responses that are meant for this machine
/// only.
public struct AllowedHosts: Hashable, Sendable {
    /// Canonical host names and addresses, or nil for any.
    private let names: Set<String>?

    /// Accepts any host, but not a missing one.
    public static var any: AllowedHosts { AllowedHosts(names: nil) }

    /// Accepts certain hosts with any port: `example.org`, `127.0.0.1`, or `::1` with or without brackets.
    ///
    /// Ports in the names are ignored.
    public static func only(_ names: Set<String>) -> AllowedHosts {
        AllowedHosts(names: Set(names.map { canonical(host(in: $0) ?? $0[...]) }))
    }

    /// Accepts the local names and `names` for a loopback address (127.0.0.1, ::1, localhost), and any host otherwise.
    ///
    /// A host name is resolved in the same way as when a server listens on it.
    public static func listening(on address: String, names: Set<String> = []) -> AllowedHosts {
        guard isOwn(address) else { return .any }
        return .only(names.union(["127.0.0.1", "localhost", "[::1]", address]))
    }

    private init(names: Set<String>?) {
        self.names = names
    }

    /// The refusal of a request for an authority, or nil if the host is accepted.
    func refusal(of authority: String?) -> ServedResponse? {
        guard let authority, let name = Self.host(in: authority) else {
            return Self.refusal(.badRequest, Authority.refusal)
        }
        guard let names, !names.contains(Self.canonical(name)) else { return nil }
        return Self.refusal(.misdirectedRequest, "This server does not serve \(name.prefix(256)).")
    }

    private static func refusal(_ status: HTTPResponse.Status, _ reason: String) -> ServedResponse {
        ServedResponse(status, reason, headers: [.cacheControl: "no-store"])
    }

    /// Whether an address or a name is only reachable from this machine.
    private static func isOwn(_ host: String) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let name = bare.lowercased()
        // These names are always local (RFC 6761, section 6.3), the last two on Linux.
        if ["localhost", "ip6-localhost", "ip6-loopback"].contains(name) || name.hasSuffix(".localhost") {
            return true
        }
        let address = (try? SocketAddress.makeAddressResolvingHost(bare, port: 0))?.ipAddress ?? ""
        return address.isLoopbackAddress
    }

    private static func host(in authority: String) -> Substring? {
        Authority(authority).flatMap { $0.isServerName ? $0.host : nil }
    }

    /// A name in lowercase, or an IPv6 address in brackets and in the spelling of the system.
    private static func canonical(_ host: some StringProtocol) -> String {
        guard host.utf8.contains(UInt8(ascii: ":")) else { return host.lowercased() }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
        let address = (try? SocketAddress(ipAddress: bare, port: 0))?.ipAddress
        return "[\(address ?? bare.lowercased())]"
    }
}

extension String {
    /// Whether this is an IP address that only this machine has.
    package var isLoopbackAddress: Bool {
        self == "::1" || ["127.", "::ffff:127."].contains(where: hasPrefix)
    }
}

/// Refuses requests without a host with 400, and requests for other hosts than the allowed ones with 421.
///
/// ```swift
/// router.add(middleware: HostMiddleware(.listening(on: "127.0.0.1", names: ["api.example.org"])))
/// ```
public struct HostMiddleware<Context: RequestContext>: RouterMiddleware {
    private let hosts: AllowedHosts
    private let refusals: RefusalFormat?

    /// Creates a middleware that lets requests for these hosts pass.
    ///
    /// - Parameters:
    ///   - hosts: The hosts.
    ///   - refusals: The format of the refusals; nil for RFC 9457.
    public init(_ hosts: AllowedHosts, refusals: RefusalFormat? = nil) {
        self.hosts = hosts
        self.refusals = refusals
    }

    /// Forwards the request, or refuses it.
    ///
    /// - Throws: The errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard var refusal = hosts.refusal(of: request.head.authority) else { return try await next(request, context) }
        refusal.format(as: refusals)
        return Response(refusal, to: request.method)
    }
}
