import FeedPresentation
import FeedServing
import HTTPTypes
import Hummingbird
import Logging

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
