import Duet
import DuetHTTP
import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Stores a comment with the server's time.
///
/// Each attempt counts for the sender's quota, except for a repeat, which changes nothing. The id of another comment is
/// refused.
@Resolvable
struct PostImageCommentHandler: CommandHandler {
    let work: UnitOfWork
    let now: CurrentDate
    let quota: ClientQuota
    let origin: MessageOrigin

    func handle(_ command: PostImageComment) async throws {
        try checkStorable(command.message, field: "message")
        try checkStorable(command.username, field: "username")
        // Before the transaction, so that a sender without a quota does not keep others waiting, and before the key,
        // because a repeat does not bring a removed comment back.
        let (isKnown, isRemoved) = try await work.read { try ($0.contains(command), $0.isRemoved(command.id)) }
        if !isKnown, let pause = origin.use(quota) { throw TooManyComments(until: pause) }
        guard !isRemoved else { throw CommentRemoved(id: command.id) }
        let createdAt = now()
        work.add { db in
            try db.insert(command, at: db.presentPosition(of: command.imageID), createdAt: createdAt)
        }
        try await work.commit(command)
    }
}

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
            try db.comments(at: db.presentPosition(of: query.imageID), answering: query)
        }
    }
}
