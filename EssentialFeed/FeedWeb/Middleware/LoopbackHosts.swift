import Hummingbird

/// On a loopback address, refuses requests for any other host (RFC 9110, section 15.5.20).
///
/// Otherwise a page from elsewhere, whose name has been pointed at this machine, could read the answers.
struct LoopbackHosts: RouterMiddleware {
    private static let loopback: Set = ["127.0.0.1", "localhost", "[::1]"]

    /// The hosts to answer to; nil for any.
    private let hosts: Set<String>?

    init(boundTo host: String) {
        let host = host.lowercased()
        let isLoopback = Self.loopback.contains(host) || host == "::1" || host.hasPrefix("127.")
        hosts = isLoopback ? Self.loopback.union([host]) : nil
    }

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        if let hosts, !hosts.contains(Self.host(of: request)) { throw HTTPError(.misdirectedRequest) }
        return try await next(request, context)
    }

    /// The host without its port.
    private static func host(of request: Request) -> String {
        let authority = request.head.authority?.lowercased() ?? ""
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority }
        return String(authority[..<colon])
    }
}
