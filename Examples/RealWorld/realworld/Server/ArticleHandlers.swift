import Duet
import DuetContext
import DuetHTTP
import DuetSQLite
import Foundation
import GRDB

struct GetArticleHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: GetArticle) async throws -> Article {
        let reader = Principal.user
        let articles = try await database.read { db in
            try db.articles(where: "slug = \(query.slug)", for: reader, withBody: true)
        }
        guard let article = articles.first else { throw Refusal.notFound("article") }
        return article
    }
}

struct ListArticlesHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: ListArticles) async throws -> ArticlePage {
        let reader = Principal.user
        return try await database.read { db in
            var condition: SQL = "TRUE"
            if let tag = query.tag {
                condition += " AND EXISTS (SELECT 1 FROM json_each(tagList) WHERE value = \(tag))"
            }
            if let author = query.author { condition += " AND username = \(author)" }
            if let name = query.favorited {
                condition += " AND article.id IN (SELECT article FROM favorite JOIN user ON user.id = favorite.user"
                condition += " WHERE username = \(name))"
            }
            return try db.page(where: condition, for: reader, offset: query.offset, limit: query.limit)
        }
    }
}

struct GetFeedHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: GetFeed) async throws -> ArticlePage {
        let reader = try Principal.requiredUser()
        return try await database.read { db in
            try db.page(
                where: "article.author IN (SELECT followed FROM follow WHERE follower = \(reader))",
                for: reader,
                offset: query.offset,
                limit: query.limit
            )
        }
    }
}

struct ListTagsHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: ListTags) async throws -> [String] {
        try await database.read { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT value FROM article, json_each(tagList) ORDER BY value")
        }
    }
}

struct CreateArticleHandler: AnsweringHandler {
    let database: any DatabaseWriter
    let now: @Sendable () -> Date

    func handle(_ command: CreateArticle) async throws -> GetArticle {
        let (author, article, now) = (try Principal.requiredUser(), command.article, now())
        let key = IdempotencyKey.current(for: CreateArticle.self)
        return try await database.write { db in
            // A repeated request has created the article before.
            try SQLiteCommandInbox().answer(key, in: db) {
                let slug = try db.freeSlug(for: article.title)
                try db.execute(
                    literal: """
                        INSERT INTO article (slug, title, description, body, tagList, createdAt, updatedAt, author)
                        VALUES (\(slug), \(article.title), \(article.description), \(article.body),
                            \(try String(json: article.tagList ?? [])), \(now), \(now), \(author))
                        """
                )
                return GetArticle(slug: slug)
            }
        }
    }
}

struct UpdateArticleHandler: AnsweringHandler {
    let database: any DatabaseWriter
    let now: @Sendable () -> Date

    func handle(_ command: UpdateArticle) async throws -> GetArticle {
        let (user, changes, now) = (try Principal.requiredUser(), command.article, now())
        let key = IdempotencyKey.current(for: UpdateArticle.self)
        return try await database.write { db in
            // A repeated request has changed the slug before.
            try SQLiteCommandInbox().answer(key, in: db) {
                let row = try db.article(command.slug, of: user)
                let title: String = changes.title.applied(to: row["title"]) ?? ""
                let slug = title == row["title"] ? command.slug : try db.freeSlug(for: title, except: row["id"])
                let tags = try changes.tagList.applied(to: nil).map { try String(json: $0) } ?? row["tagList"]
                try db.execute(
                    literal: """
                        UPDATE article SET slug = \(slug), title = \(title), tagList = \(tags), updatedAt = \(now),
                            description = \(changes.description.applied(to: row["description"])),
                            body = \(changes.body.applied(to: row["body"]))
                        WHERE id = \(row["id"] as Int64)
                        """
                )
                return GetArticle(slug: slug)
            }
        }
    }
}

struct DeleteArticleHandler: CommandHandler {
    let database: any DatabaseWriter

    func handle(_ command: DeleteArticle) async throws {
        let user = try Principal.requiredUser()
        try await database.write { db in
            let id: Int64 = try db.article(command.slug, of: user)["id"]
            try db.execute(literal: "DELETE FROM article WHERE id = \(id)")
        }
    }
}

struct FavoriteHandler: CommandHandler {
    let database: any DatabaseWriter

    func handle(_ command: Favorite) async throws {
        let user = try Principal.requiredUser()
        try await database.write { db in
            let article: Int64 = try db.article(command.slug)["id"]
            try db.execute(literal: "INSERT OR IGNORE INTO favorite (article, user) VALUES (\(article), \(user))")
        }
    }
}

struct UnfavoriteHandler: CommandHandler {
    let database: any DatabaseWriter

    func handle(_ command: Unfavorite) async throws {
        let user = try Principal.requiredUser()
        try await database.write { db in
            let article: Int64 = try db.article(command.slug)["id"]
            try db.execute(literal: "DELETE FROM favorite WHERE article = \(article) AND user = \(user)")
        }
    }
}

extension Database {
    /// Returns a slug for a title, with a number if another article has the same.
    fileprivate func freeSlug(for title: String, except id: Int64? = nil) throws -> String {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
        // "feed" is the path of another query.
        let slug = words.isEmpty || words == "feed" ? "article" : words
        var number: Int64 = try row("SELECT MAX(id) FROM article")?[0] ?? 0
        var free = slug
        while try row("SELECT 1 FROM article WHERE slug = \(free) AND id IS NOT \(id)") != nil {
            number += 1
            free = "\(slug)-\(number)"
        }
        return free
    }
}

extension String {
    fileprivate init(json tags: [String]) throws {
        self = String(decoding: try JSONEncoder().encode(tags), as: UTF8.self)
    }
}
