import Duet
import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Stores a comment with the server's time.
///
/// Of two comments with one id, the first remains.
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
            try db.remove(comment: command.id, at: position)
        }
        try await work.commit(command)
    }
}

/// Loads a page of comments, in the order of their dates.
@Resolvable
struct LoadImageCommentsHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadImageComments) async throws -> ImageCommentPage {
        try await work.read { db in
            guard let position = try db.position(of: query.imageID) else {
                throw ImageNotFound(id: query.imageID)
            }
            return try db.comments(at: position, answering: query)
        }
    }
}
