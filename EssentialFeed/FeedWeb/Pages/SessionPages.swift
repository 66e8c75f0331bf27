import Duet
import DuetDependencies
import FeedFeature
import FeedPresentation
import FeedServing
import Foundation
import Hummingbird
import Logging

struct SessionPages {
    static func signInPage(_ request: Request, _ visit: Visit) throws -> Response {
        let target = request.query["return"]
        return try show(SignIn(target: localPath(target), visit: visit), visit)
    }

    /// Begins the session if the backend accepts the token, and responds with the page that the reader came from.
    ///
    /// The token is neither logged nor shown again, and no URL contains it.
    static func signIn(_ request: Request, _ context: ScopedRequestContext, _ visit: Visit) async throws -> Response {
        let (target, text) = try await Form.with(request) { form in
            (localPath(form["return"]), form["token"])
        }
        guard let token = Session.token(text) else {
            return try refuse(text.isEmpty ? .fieldRequired : .sessionRefused, target, visit)
        }
        let permissions: Set<Permission>
        do {
            let sender = Override(SenderToken.self) { SenderToken(token) }
            permissions = try await context.scope.withScope(overriding: sender) { scope in
                let dispatcher: any QueryDispatcher = try await scope.resolve()
                return try await dispatcher.dispatch(LoadPermissions())
            }
        } catch is AuthorizationError {
            return try refuse(.sessionRefused, target, visit)
        } catch {
            context.logger.error("A token could not be checked: \(error)")
            let content = SignIn(target: target, visit: visit)
            return try show(content, visit, error: visit.language.message(for: error), status: .init(for: error))
        }
        return .seeOther(target, cookies: Session.cookies(token, permissions, at: visit.address))
    }

    static func signOut(_ visit: Visit) -> Response {
        .seeOther(visit.link(to: "/"), cookies: ["session", "waiting"].map { Session.cookie($0, at: visit.address) })
    }

    private static func refuse(_ fault: Text, _ target: String, _ visit: Visit) throws -> Response {
        let content = SignIn(target: target, fault: visit.language[fault], visit: visit)
        return try show(content, visit, status: .unprocessableContent)
    }

    private static func show(
        _ content: SignIn,
        _ visit: Visit,
        error: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .page("sign-in", .signIn, content, error: error, visit, status: status)
    }

    /// Returns a path of this site, or the feed for anything else, such as the address of another site.
    private static func localPath(_ path: String) -> String {
        let isPlain = path.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && $0 != "\\" }
        return isPlain && path.hasPrefix("/") && !path.hasPrefix("//") ? path : "/"
    }
}

/// Fills the template for signing in.
struct SignIn {
    let target: String
    let fault: String?
    let action: String
    let tokenLimit = Session.tokenLimit

    init(target: String, fault: String? = nil, visit: Visit) {
        self.target = target
        self.fault = fault
        action = visit.link(to: "/sign-in")
    }
}
