import FeedServing
import HTTPTypes
import Hummingbird
import Logging

/// Answers with a ``Problem`` whatever goes wrong further in.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: @concurrent (Request, ScopedRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as UnreadableBody {
            // The connection is broken, and only the server can end it: with an answer or without.
            throw error.underlying
        } catch let error as HTTPError where error.status == .notFound {
            return try noSuchRoute(request).response(to: request.method)
        } catch {
            return try (Problem(error) ?? internalProblem(error, context)).response(to: request.method)
        }
    }

    private func noSuchRoute(_ request: Request) -> Problem {
        let path = request.uri.path
        let methods = Self.methods(at: path)
        guard !methods.isEmpty else { return Problem(.notFound, "There is nothing at \(path.prefix(256)).") }
        let allowed = methods.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed,
            "\(path.prefix(256)) answers to \(allowed), not to \(request.method.rawValue.prefix(64)).",
            headers: [.allow: allowed]
        )
    }

    private func internalProblem(_ error: any Error, _ context: ScopedRequestContext) -> Problem {
        if error is CancellationError { return Problem(.serviceUnavailable, "The server is shutting down.") }
        context.logger.error("A request failed", metadata: ["error": "\(error)"])
        return Problem(.internalServerError, "The server could not do this; its log says why.")
    }

    /// The methods that a path answers to; the router knows only that one was not among them.
    private static func methods(at path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        return switch parts.count {
        case 1 where parts == ["health"]: [.get, .head]
        case 2 where parts == ["v1", "feed"]: [.get, .head]
        case 3 where parts.starts(with: ["v1", "image"]): [.get, .head, .put, .delete]
        case 4 where parts.starts(with: ["v1", "image"]) && parts[3] == "comments": [.get, .head, .post]
        default: []
        }
    }
}
