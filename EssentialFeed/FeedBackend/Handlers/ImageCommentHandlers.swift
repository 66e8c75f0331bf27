import Duet
import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Stores a comment with the server's time.
///
/// Of two comments with one id, the first remains. The number of comments on an image is limited, because anyone may
/// comment.
@Resolvable
struct PostImageCommentHandler: CommandHandler {
    let work: UnitOfWork
    let now: CurrentDate

    func handle(_ command: PostImageComment) async throws {
        try checkStorable(command.message, field: "message")
        try checkStorable(command.username, field: "username")
        let createdAt = now()
        work.add { db in
            guard let position = try db.position(of: command.imageID) else {
                throw ImageNotFound(id: command.imageID)
            }
            guard try !db.contains(comment: command.id) else { return }
            guard try db.commentCount(at: position) < PostImageComment.limitPerImage else {
                throw DiscussionFull(imageID: command.imageID)
            }
            try db.insert(command, at: position, createdAt: createdAt)
        }
        try await work.commit(command)
    }
}

/// Removes a comment.
@Resolvable
struct RemoveImageCommentHandler: CommandHandler {
    let work: UnitOfWork

    func handle(_ command: RemoveImageComment) async throws {
        let caller = Principal.current
        work.add { db in
            guard let position = try db.position(of: command.imageID) else { return }
            try db.checkOwner(of: position, caller)
            try db.cachedStatement(sql: "DELETE FROM comment WHERE id = ? AND image = ?")
                .execute(arguments: [command.id, position])
        }
        try await work.commit(command)
    }
}

/// Loads the comments in the order in which they were posted.
@Resolvable
struct LoadImageCommentsHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadImageComments) async throws -> [ImageComment] {
        try await work.read { db in
            guard let position = try db.position(of: query.imageID) else {
                throw ImageNotFound(id: query.imageID)
            }
            let sql = """
                SELECT id, message, created_at, username FROM comment WHERE image = ? ORDER BY created_at, sequence
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [position])
            return try Array(
                rows.map { row in
                    ImageComment(
                        id: try row.decode(atIndex: 0),
                        message: try row.decode(atIndex: 1),
                        createdAt: Date(millisecondsSince1970: try row.decode(atIndex: 2)),
                        username: try row.decode(atIndex: 3)
                    )
                }
            )
        }
    }
}
