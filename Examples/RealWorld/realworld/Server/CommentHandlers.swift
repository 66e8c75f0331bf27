import Duet
import DuetContext
import DuetSQLite
import Foundation
import GRDB

struct ListCommentsHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: ListComments) async throws -> [Comment] {
        let reader = Principal.user
        return try await database.read { db in
            let article: Int64 = try db.article(query.slug)["id"]
            return try db.comments(where: "article = \(article)", for: reader)
        }
    }
}

struct GetCommentHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: GetComment) async throws -> Comment {
        let reader = Principal.user
        let comments = try await database.read { db in
            let article: Int64 = try db.article(query.slug)["id"]
            return try db.comments(where: "article = \(article) AND comment.id = \(query.id)", for: reader)
        }
        guard let comment = comments.first else { throw Refusal.notFound("comment") }
        return comment
    }
}

struct AddCommentHandler: AnsweringHandler {
    let database: any DatabaseWriter
    let now: @Sendable () -> Date

    func handle(_ command: AddComment) async throws -> GetComment {
        let (author, now) = (try Principal.requiredUser(), now())
        let key = IdempotencyKey.current(for: AddComment.self)
        return try await database.write { db in
            try SQLiteCommandInbox().answer(key, in: db) {
                let article: Int64 = try db.article(command.slug)["id"]
                try db.execute(
                    literal: """
                        INSERT INTO comment (body, createdAt, updatedAt, article, author)
                        VALUES (\(command.comment.body), \(now), \(now), \(article), \(author))
                        """
                )
                return GetComment(slug: command.slug, id: db.lastInsertedRowID)
            }
        }
    }
}

struct DeleteCommentHandler: CommandHandler {
    let database: any DatabaseWriter

    func handle(_ command: DeleteComment) async throws {
        let user = try Principal.requiredUser()
        try await database.write { db in
            let article: Int64 = try db.article(command.slug)["id"]
            let row = try db.row("SELECT author FROM comment WHERE id = \(command.id) AND article = \(article)")
            guard let row else { throw Refusal.notFound("comment") }
            guard row["author"] == user else { throw Refusal.forbidden("comment") }
            try db.execute(literal: "DELETE FROM comment WHERE id = \(command.id)")
        }
    }
}
