import FeedServing
import Hummingbird

/// On a loopback address, refuses requests for any other host (RFC 9110, section 15.5.20).
///
/// Otherwise a page from elsewhere, whose name has been pointed at this machine, could read the answers.
struct LoopbackHosts: RouterMiddleware {
    /// The hosts to answer for; nil for any.
    private let hosts: Set<String>?

    init(boundTo address: String) {
        let address = address.lowercased()
        let loopback: Set = ["127.0.0.1", "localhost", "[::1]"]
        let isLoopback = loopback.contains(address) || address == "::1" || address.hasPrefix("127.")
        hosts = isLoopback ? loopback.union([address]) : nil
    }

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: @concurrent (Request, ScopedRequestContext) async throws -> Response
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
