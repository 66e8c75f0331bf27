import FeedServing
import HTTPTypes
import Hummingbird

/// A request that changes something: the only ones with a method other than GET and HEAD.
enum PageCommand: CaseIterable {
    case comment, removeComment, correct, remove, publish, signIn, signOut

    /// The path; a component that begins with a colon stands for any id.
    var path: String {
        switch self {
        case .comment: "/images/:id/comments"
        case .removeComment: "/images/:id/comments/:comment/remove"
        case .correct: "/images/:id/edit"
        case .remove: "/images/:id/remove"
        case .publish: "/publish"
        case .signIn: "/sign-in"
        case .signOut: "/sign-out"
        }
    }

    static func contains(path: String) -> Bool {
        let components = path.split(separator: "/")
        return (allCases.map(\.path) + InspectCommand.allCases.map(\.path)).contains { path in
            let pattern = path.split(separator: "/")
            return pattern.count == components.count
                && zip(pattern, components).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
        }
    }
}

/// Refuses all methods except GET and HEAD, and POST for the paths of commands.
///
/// A command must come from one of these pages. Otherwise another site could make the browser of a reader post a
/// comment, with the reader's session or from a machine that only the reader can reach. No secret in the forms is
/// needed for that: the browser states where a request comes from, and keeps the session's cookie from other sites.
struct CommandsOnly: RouterMiddleware {
    let address: SiteAddress

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: NextResponder
    ) async throws -> Response {
        guard request.method != .get, request.method != .head else { return try await next(request, context) }
        let isCommand = PageCommand.contains(path: request.uri.path)
        guard request.method == .post, isCommand else {
            throw HTTPError(.methodNotAllowed, headers: [.allow: isCommand ? "GET, HEAD, POST" : "GET, HEAD"])
        }
        guard address.isOrigin(of: request) else { throw HTTPError(.forbidden) }
        return try await next(request, context)
    }
}
