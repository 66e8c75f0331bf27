public import Hummingbird

/// Refuses requests without a host with 400, and those for another host than the allowed ones with 421.
public struct HostMiddleware<Context: RequestContext>: RouterMiddleware {
    private let hosts: AllowedHosts

    /// Lets requests for these hosts pass.
    public init(_ hosts: AllowedHosts) {
        self.hosts = hosts
    }

    /// Passes the request on, or answers it with a problem of RFC 9457.
    ///
    /// - Throws: What is thrown further in.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let refusal = hosts.refusal(of: request.head.authority) { return refusal.response(to: request.method) }
        return try await next(request, context)
    }
}
