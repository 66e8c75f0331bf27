import FeedFeature
import Foundation
import Hummingbird

/// The comments that a browser has sent and that wait for the backend: a cookie with their ids.
///
/// Only this browser is shown them, because the backend has not accepted them. Nobody else can name the id of such a
/// comment, which is random, and which only its sender has seen.
struct OwnComments: Sendable {
    /// The number of ids that fit into a cookie.
    private static let limit = 50

    private var ids: [ImageComment.ID]

    init(_ request: Request, at address: SiteAddress) {
        let text = request.cookie(Session.cookieName("waiting", at: address)) ?? ""
        ids = text.split(separator: ".").suffix(Self.limit).compactMap { UUID(text: String($0)) }
    }

    func contains(_ comment: WaitingComment) -> Bool { ids.contains(comment.id) }

    /// Returns the cookie after one more comment began to wait, without those that do not wait any more.
    func cookie(adding id: ImageComment.ID, waiting: [WaitingComment], at address: SiteAddress) -> String {
        let rest = ids.filter { known in known != id && waiting.contains { $0.id == known } }
        let names = (rest.suffix(Self.limit - 1) + [id]).map(\.uuidString)
        return Session.cookie("waiting", names.joined(separator: "."), at: address)
    }
}
