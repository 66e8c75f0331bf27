import FeedPresentation
import FeedServing
import HTTPTypes
import Hummingbird

/// Accepts requests that know the token of the page for developers, which the program prints when it starts.
///
/// The token arrives once in the address of the page, and then in a cookie that only this site's own pages send.
struct InspectAccess: RouterMiddleware {
    private static let cookie = "inspect"

    let token: String

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: NextResponder
    ) async throws -> Response {
        if request.method == .get, let sent = request.uri.query?.utf8, sent.starts(with: "token=".utf8),
            isToken(sent.dropFirst("token=".utf8.count))
        {
            let cookie = "\(Self.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"
            return .seeOther("/inspect", cookies: [cookie])
        }
        guard let sent = request.cookie(Self.cookie), isToken(sent.utf8) else {
            return .text(
                "Open the address of this page that the program printed when it started.\n",
                in: .english,
                status: .forbidden
            )
        }
        return try await next(request, context)
    }

    /// Whether a text is the token, compared in a time that does not depend on where they differ.
    private func isToken(_ text: some Collection<UInt8>) -> Bool {
        guard text.count == token.utf8.count else { return false }
        return zip(text, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
