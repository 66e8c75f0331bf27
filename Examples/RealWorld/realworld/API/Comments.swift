import Duet
import DuetHTTP
import Foundation
import HTTPTypes

struct Comment: Codable, Hashable, Sendable {
    let id: Int64
    let createdAt: Date
    let updatedAt: Date
    let body: String
    let author: Profile
}

// GET articles/{slug}/comments, the oldest first.
struct ListComments: HTTPQuery, Hashable {
    typealias Value = [Comment]
    static let route: QueryRoute<Self> = .get("articles/{slug}/comments").envelope("comments")

    let slug: String
}

/// The specification has no request for one comment: this query exists in the answer of ``AddComment``.
struct GetComment: HTTPQuery, Hashable {
    typealias Value = Comment
    static let route: QueryRoute<Self> = .get("articles/{slug}/comments/{id}").envelope("comment")

    let slug: String
    let id: Int64
}

// POST articles/{slug}/comments
struct AddComment: HTTPCommand, AnsweredCommand, Validatable {
    static let route: CommandRoute<Self> = .post("articles/{slug}/comments").responding(with: .created)

    struct NewComment: Codable, Sendable {
        let body: String
    }

    let slug: String
    let comment: NewComment

    func answer(from created: Comment?) -> GetComment? { created.map { GetComment(slug: slug, id: $0.id) } }

    func validate() throws { try Refusal.check(["body": comment.body], .text) }
}

// DELETE articles/{slug}/comments/{id}
struct DeleteComment: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("articles/{slug}/comments/{id}")

    let slug: String
    let id: Int64
}
