import FeedPresentation
import FeedServing
import HTTPTypes
import Hummingbird
import Logging

/// Restricts the browser to content from this server, with the media types that it declares.
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

/// Responds to every error with a small page in the reader's language.
struct ErrorPages: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: @concurrent (Request, ScopedRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            return try page(error.status, headers: error.headers, for: request)
        } catch {
            context.logger.error("A request failed: \(error)")
            return try page(.internalServerError, for: request)
        }
    }

    private func page(
        _ status: HTTPResponse.Status,
        headers: HTTPFields = [:],
        for request: Request
    ) throws -> Response {
        let preferences = ReaderPreferences(request)
        let message = preferences.language[Self.text(for: status)]
        let page = Page(title: preferences.language[.feedTitle], content: message, preferences: preferences)
        var response = try Response.html("error", page, status: status)
        response.headers.append(contentsOf: headers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func text(for status: HTTPResponse.Status) -> Text {
        switch status {
        case .notFound: .notFoundError
        case _ where status.kind == .clientError: .badRequestError
        default: .unexpectedError
        }
    }
}

/// Refuses all methods except GET and HEAD, because the pages cannot change anything.
struct ReadOnly: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: @concurrent (Request, ScopedRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get || request.method == .head else {
            throw HTTPError(.methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        return try await next(request, context)
    }
}
