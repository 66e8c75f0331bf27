import DuetHTTP
import FeedFeature
import Foundation
import Hummingbird

/// The comments that a browser has sent and that wait for the backend: a cookie with their hashes.
///
/// Only this browser is shown them, because the backend has not accepted them. An id would not do: others learn it when
/// the comment is accepted, and can send another text under it.
struct OwnComments {
    /// The number of hashes that fit into a cookie.
    private static let limit = 50

    private let hashes: [Data]

    init(_ request: Request, at address: SiteAddress) {
        let text = request.cookie(Session.cookieName("waiting", at: address)) ?? ""
        hashes = text.utf8.split(separator: UInt8(ascii: ".")).suffix(Self.limit).map { Data($0) }
    }

    func contains(_ comment: PostImageComment) -> Bool { hashes.contains(comment.hash) }

    /// Returns the cookie after one more comment began to wait, without those that do not wait any more.
    func cookie(adding comment: PostImageComment, waiting: [WaitingComment], at address: SiteAddress) -> String {
        let known = Set(waiting.map(\.comment.hash)).subtracting([comment.hash]).intersection(hashes)
        let rest = hashes.filter(known.contains).suffix(Self.limit - 1) + [comment.hash]
        let text = String(decoding: Data(rest.joined(separator: ".".utf8)), as: UTF8.self)
        return Session.cookie("waiting", text, at: address)
    }
}

extension PostImageComment {
    fileprivate var hash: Data {
        Data(Data("\(id) \(imageID) \(username.utf8.count) \(username) \(message)".utf8).digest().utf8)
    }
}
