import DuetDependencies
import DuetHTTP
import FeedFeature
import Foundation
import Hummingbird

/// The session of a reader who signed in: a cookie with the token, which this server sends to the backend.
///
/// The server keeps no sessions, so a restart signs nobody out, and a revoked token ends all its sessions at once. The
/// cookie is out of reach of scripts, of other sites, and of plain http if the pages are public over https.
struct Session: Sendable {
    /// The longest token that is accepted, which leaves room for other fields in the head of a request.
    static let tokenLimit = 1_024

    private static let maxAge = 14 * 24 * 60 * 60

    /// The token of the reader; nil for a reader who has not signed in.
    let token: String?

    init(_ request: Request, at address: PublicAddress) {
        token = request.cookies[Self.cookieName(at: address)].map(\.value).flatMap(Self.token)
    }

    /// Returns a text that may be a token, without surrounding white space; nil for any other text.
    static func token(_ text: String) -> String? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isBearerToken && text.utf8.count <= tokenLimit ? text : nil
    }

    /// Returns the cookie that begins the session with a token, or with nil ends it.
    static func cookie(_ token: String?, at address: PublicAddress) -> String {
        """
        \(cookieName(at: address))=\(token ?? ""); Path=/; Max-Age=\(token == nil ? 0 : maxAge); HttpOnly; \
        SameSite=Strict\(address.isSecure ? "; Secure" : "")
        """
    }

    /// The prefix makes browsers accept the cookie only from this host over https.
    private static func cookieName(at address: PublicAddress) -> String {
        address.isSecure ? "__Host-session" : "session"
    }

    /// The overrides of the request's scope, so that its messages carry the token.
    var overrides: [Override] {
        guard let token else { return [] }
        return [Override(SenderToken.self) { SenderToken(token) }]
    }
}
