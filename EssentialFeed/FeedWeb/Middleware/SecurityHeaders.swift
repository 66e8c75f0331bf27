import FeedServing
import HTTPTypes
import Hummingbird

/// Tells the browser to load nothing but what this server gives, and to believe the media types it names.
struct SecurityHeaders: RouterMiddleware {
    private static let headers = [
        (
            "Content-Security-Policy",
            """
            default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; \
            form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: @concurrent (Request, ScopedRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }
}
