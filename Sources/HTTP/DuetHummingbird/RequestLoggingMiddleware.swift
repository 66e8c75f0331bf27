public import Hummingbird
public import Logging

/// Logs the method and the path of each request, without its query.
///
/// Hummingbird's `LogRequestsMiddleware` also logs the query, which may contain what a user has typed, or a secret.
///
/// ```swift
/// router.add(middleware: RequestLoggingMiddleware(.info))
/// ```
public struct RequestLoggingMiddleware<Context: RequestContext>: RouterMiddleware {
    private let level: Logger.Level

    /// Creates a middleware that logs at this level.
    public init(_ level: Logger.Level = .info) {
        self.level = level
    }

    /// Logs the request, and forwards it.
    ///
    /// - Throws: The errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        context.logger.log(
            level: level,
            "Request",
            metadata: ["hb.request.method": "\(request.method)", "hb.request.path": "\(request.uri.path)"]
        )
        return try await next(request, context)
    }
}
