import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Stores a comment with the server's time.
///
/// Of two comments with one id, the first remains. The number of comments on an image is limited, because anybody may
/// comment.
@Resolvable
struct PostImageCommentHandler: CommandHandler {
    let database: FeedDatabase
    let now: CurrentDate

    func handle(_ command: PostImageComment) async throws {
        try checkStorable(command.message, field: "message")
        try checkStorable(command.username, field: "username")
        let createdAt = now()
        try await database.connection.write { db in
            guard let position = try db.position(of: command.imageID) else {
                throw ImageNotFound(id: command.imageID)
            }
            guard try !db.isThere(comment: command.id) else { return }
            guard try db.numberOfComments(at: position) < PostImageComment.limitPerImage else {
                throw DiscussionFull(imageID: command.imageID)
            }
            try db.insert(command, at: position, createdAt: createdAt)
        }
    }
}
