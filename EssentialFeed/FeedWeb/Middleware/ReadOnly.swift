import FeedServing
import HTTPTypes
import Hummingbird

/// Refuses every method but the two that read: nothing here can be changed.
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
