import DuetDependencies
import DuetHTTP
import FeedFeature
import Foundation
import Hummingbird

/// The session of a reader who signed in: a cookie with the token, which this server sends to the backend.
///
/// The server keeps no sessions, so a restart signs nobody out, and a revoked token ends all its sessions at once. The
/// cookie is out of reach of scripts, of other sites, and of plain http if the pages are public over https.
struct Session {
    /// The longest token that is accepted, which leaves room for other fields in the head of a request.
    static let tokenLimit = 1_024

    private static let maxAge = 14 * 24 * 60 * 60

    /// The token of the reader; nil for a reader who has not signed in.
    let token: String?

    /// Whether the pages offer to publish images; the backend decides.
    let offersPublishing: Bool

    /// Whether the pages offer to correct and remove images, and to remove comments; the backend decides.
    let offersEditing: Bool

    init(_ request: Request, at address: SiteAddress) {
        token = request.cookie(Self.cookieName("session", at: address)).flatMap(Self.token)
        let permissions = request.cookie(Self.cookieName("permissions", at: address)) ?? ""
        let names = token == nil ? [] : permissions.split(separator: ".").map(String.init)
        offersPublishing = names.contains(Permission.publish.rawValue)
        offersEditing = offersPublishing || names.contains(Permission.moderate.rawValue)
    }

    /// Returns a text that may be a token, without surrounding white space; nil for any other text.
    static func token(_ text: String) -> String? {
        guard text.utf8.count <= 2 * tokenLimit else { return nil }
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.utf8.count <= tokenLimit && text.isBearerToken ? text : nil
    }

    /// Returns the cookies that begin the session with a token and its permissions, which never change.
    static func cookies(_ token: String, _ permissions: Set<Permission>, at address: SiteAddress) -> [String] {
        let names = permissions.map(\.rawValue).sorted().joined(separator: ".")
        return [cookie("session", token, at: address), cookie("permissions", names, at: address)]
    }

    static func cookie(_ name: String, _ value: String? = nil, at address: SiteAddress) -> String {
        """
        \(cookieName(name, at: address))=\(value ?? ""); Path=/; Max-Age=\(value == nil ? 0 : maxAge); HttpOnly; \
        SameSite=Strict\(address.isSecure ? "; Secure" : "")
        """
    }

    /// The prefix makes browsers accept the cookie only from this host over https.
    static func cookieName(_ name: String, at address: SiteAddress) -> String {
        address.isSecure ? "__Host-\(name)" : name
    }

    /// The overrides of the request's scope, so that its messages carry the token.
    var overrides: [Override] {
        guard let token else { return [] }
        return [Override(SenderToken.self) { SenderToken(token) }]
    }
}
