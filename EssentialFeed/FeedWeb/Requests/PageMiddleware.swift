import FeedPresentation
import FeedServing
import HTTPTypes
import Hummingbird
import Logging

/// Restricts the browser to content from this server, with the media types that it declares.
///
/// With a public address with https, browsers never use http for this host again, for a year after each response.
struct SecurityHeaders: RouterMiddleware {
    let address: SiteAddress

    private static let headers = [
        (
            "Content-Security-Policy",
            """
            default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; \
            worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: NextResponder
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        if address.isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }
}

/// Remembers the language that a reader chose on the page.
struct LanguageCookie: RouterMiddleware {
    private static let maxAge = 365 * 24 * 60 * 60

    let address: SiteAddress

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: NextResponder
    ) async throws -> Response {
        var response = try await next(request, context)
        let isPage = response.headers[.contentType]?.hasPrefix("text/html") == true
        if isPage, let chosen = Visit(request, at: address).chosenLanguage,
            request.cookie("lang") != chosen.tag
        {
            let cookie = "lang=\(chosen.tag); Path=/; Max-Age=\(Self.maxAge); SameSite=Lax"
            response.headers.append(HTTPField(name: .setCookie, value: address.isSecure ? cookie + "; Secure" : cookie))
        }
        return response
    }
}

/// Responds to every error with a small page in the reader's language.
struct ErrorPages: RouterMiddleware {
    let address: SiteAddress

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: NextResponder
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
        let visit = Visit(request, at: address)
        let page = Page(content: visit.language[Self.text(for: status, path: request.uri.path)], visit: visit)
        var response = try Response.html("error", page, status: status)
        response.headers.append(contentsOf: headers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func text(for status: HTTPResponse.Status, path: String) -> Text {
        switch status {
        case .notFound: .notFoundError
        case .forbidden: .refusedError
        case .contentTooLarge where path == PageCommand.publish.path: .publishTooLarge
        case _ where status.kind == .clientError: .badRequestError
        default: .unexpectedError
        }
    }
}
