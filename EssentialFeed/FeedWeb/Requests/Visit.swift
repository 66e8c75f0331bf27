import Duet
import DuetHTTP
import FeedFeature
import FeedPresentation
import Foundation
import HTTPTypes
import Hummingbird

/// A reader's request for a page: the language, the session and the position in the feed.
struct Visit {
    let language: Language

    /// The language in the URL, which links keep for browsers without cookies.
    let chosenLanguage: Language?

    private(set) var session: Session
    let address: SiteAddress

    /// The reader's comments that wait for the backend.
    let ownComments: OwnComments

    /// The path of the page, also in the response to a command of the page.
    let path: String

    /// The parameters that state where the reader is in the feed, or in the results of a search.
    let position: [String: String]

    /// The comment before which the comments on the page end; nil for the newest ones.
    let before: ImageComment.ID?

    init(_ request: Request, at address: SiteAddress) {
        self.address = address
        session = Session(request, at: address)
        ownComments = OwnComments(request, at: address)
        chosenLanguage = request.query.optional("lang").flatMap { Language(tag: $0) }
        language =
            chosenLanguage
            ?? request.cookie("lang").flatMap { Language(tag: $0) }
            ?? Language(preferring: FieldList.preferences(request.headers[values: .acceptLanguage]))
        path = Self.pagePath(request.uri.path)
        // Only valid parameters, so that nothing else of the address gets into the links.
        position = (try? FeedPosition(request))?.parameters ?? [:]
        before = request.query.optional("before").flatMap(UUID.init(text:))
    }

    var isSignedIn: Bool { session.token != nil }

    var signedOut: Visit {
        var visit = self
        visit.session = Session()
        return visit
    }

    /// Returns the text for an error, which may concern the token of the session.
    func message(for error: any Error) -> String {
        let isOver = error as? AuthorizationError == .unauthenticated && isSignedIn
        return isOver ? language[.sessionEnded] : language.message(for: error)
    }

    /// The parameters that lead to the comments before one, or to the newest ones, at the same place in the feed.
    func position(before comment: ImageComment.ID?) -> [String: String] {
        var parameters = position
        parameters["before"] = comment?.uuidString
        return parameters
    }

    /// The parameters that lead to the same comments at the same place in the feed.
    var place: [String: String] { position(before: before) }

    /// The query that keeps the language of the URL; empty if the URL has none.
    var query: String { Self.address("", languageParameter) }

    /// The address of the page for signing in, which leads back to this page.
    var signIn: String { link(to: "/sign-in", ["return": link(to: path, place)]) }

    /// Returns the address of a page of this site, which keeps the language of the URL.
    func link(to path: String, _ parameters: [String: String] = [:], fragment: String? = nil) -> String {
        Self.address(path, parameters.merging(languageParameter) { $1 }) + (fragment.map { "#\($0)" } ?? "")
    }

    /// Returns a path with parameters, in alphabetical order.
    static func address(_ path: String, _ parameters: [String: String]) -> String {
        guard !parameters.isEmpty else { return path }
        let pairs = parameters.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "")"
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    private var languageParameter: [String: String] { chosenLanguage.map { ["lang": $0.tag] } ?? [:] }

    /// The path of the page that browsers show in place of a page that they have not kept.
    static let offlinePath = "/offline"

    /// The page of a path.
    ///
    /// The links of the page for any address are relative to it. Comments are posted below the path of their image's
    /// page, and shown on it. A path begins with one slash, because a link with two leads to another site.
    private static func pagePath(_ path: String) -> String {
        guard path != offlinePath else { return "" }
        let page = path.hasSuffix("/comments") ? String(path.dropLast("/comments".count)) : path
        let rest = Substring(page.utf8.drop { $0 == UInt8(ascii: "/") })
        return "/" + (rest.addingPercentEncoding(withAllowedCharacters: .pathInLink) ?? "")
    }
}

extension CharacterSet {
    /// The characters that need no encoding in a parameter (RFC 3986, section 2.3).
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    fileprivate static let pathInLink = unreserved.union(CharacterSet(charactersIn: "/%"))
}

extension Session {
    /// The session of a reader who has not signed in.
    fileprivate init() {
        token = nil
        offersPublishing = false
        offersEditing = false
    }
}
