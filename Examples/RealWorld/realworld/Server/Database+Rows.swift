import Duet
import Foundation
import GRDB
import HTTPTypes

extension Database {
    func row(_ request: SQLRequest<Row>) throws -> Row? { try request.fetchOne(self) }

    func rows(_ request: SQLRequest<Row>) throws -> [Row] { try request.fetchAll(self) }

    func account(_ id: Int64) throws -> Account {
        guard let row = try row("SELECT * FROM user WHERE id = \(id)") else { throw Refusal.notFound("user") }
        return Account(row)
    }

    /// Refuses names and addresses that other users have.
    func checkFree(username: String, email: String, except id: Int64?) throws {
        let others = try rows(
            "SELECT username, email FROM user WHERE (username = \(username) OR email = \(email)) AND id IS NOT \(id)"
        )
        let taken = ["username": username, "email": email]
            .filter { member in others.contains { $0[member.key] == member.value } }
            .mapValues { _ in ["has already been taken"] }
        guard taken.isEmpty else { throw Refusal(.conflict, taken) }
    }

    /// Returns the columns of a profile and the identifier of its user.
    func profile(_ username: String, for reader: Int64? = nil) throws -> Row {
        guard let row = try row("SELECT id, \(literal: Profile.columns(reader)) FROM user WHERE username = \(username)")
        else {
            throw Refusal.notFound("profile")
        }
        return row
    }

    /// Returns the row of an article.
    func article(_ slug: String) throws -> Row {
        guard let row = try row("SELECT * FROM article WHERE slug = \(slug)") else { throw Refusal.notFound("article") }
        return row
    }

    /// Returns the row of an article that a user may change.
    func article(_ slug: String, of user: Int64) throws -> Row {
        let row = try article(slug)
        guard row["author"] == user else { throw Refusal.forbidden("article") }
        return row
    }

    /// Returns articles, the newest first.
    func articles(
        where condition: SQL,
        for reader: Int64?,
        withBody: Bool = false,
        offset: Int = 0,
        limit: Int = 1
    ) throws -> [Article] {
        try rows(
            """
            SELECT \(literal: Article.columns(reader)), \(sql: withBody ? "body" : "NULL AS body")
            FROM article JOIN user ON user.id = article.author
            WHERE \(literal: condition) ORDER BY article.id DESC LIMIT \(limit) OFFSET \(offset)
            """
        )
        .map(Article.init)
    }

    /// Returns a page of articles, and the number of all.
    func page(where condition: SQL, for reader: Int64?, offset: Int, limit: Int) throws -> ArticlePage {
        let count = try row(
            "SELECT COUNT(*) FROM article JOIN user ON user.id = article.author WHERE \(literal: condition)"
        )
        let articles = try articles(where: condition, for: reader, offset: offset, limit: limit)
        return ArticlePage(articles: articles, articlesCount: count?[0] ?? 0)
    }

    /// Returns comments, the oldest first.
    func comments(where condition: SQL, for reader: Int64?) throws -> [Comment] {
        try rows(
            """
            SELECT comment.id, body, createdAt, updatedAt, \(literal: Profile.columns(reader))
            FROM comment JOIN user ON user.id = comment.author
            WHERE \(literal: condition) ORDER BY comment.id
            """
        )
        .map { row in
            Comment(
                id: row["id"],
                createdAt: row["createdAt"],
                updatedAt: row["updatedAt"],
                body: row["body"],
                author: Profile(row)
            )
        }
    }
}

extension Profile {
    /// The columns of a profile, for a reader who may follow the user.
    static func columns(_ reader: Int64?) -> SQL {
        """
        username, bio, image,
        EXISTS (SELECT 1 FROM follow WHERE follower = \(reader) AND followed = user.id) AS following
        """
    }

    init(_ row: Row) {
        self.init(username: row["username"], bio: row["bio"], image: row["image"], following: row["following"])
    }
}

extension Article {
    /// The columns of an article without its body, for a reader who may like it.
    static func columns(_ reader: Int64?) -> SQL {
        """
        slug, title, description, tagList, createdAt, updatedAt, \(Profile.columns(reader)),
        EXISTS (SELECT 1 FROM favorite WHERE article = article.id AND user = \(reader)) AS favorited,
        (SELECT COUNT(*) FROM favorite WHERE article = article.id) AS favoritesCount
        """
    }

    init(_ row: Row) throws {
        self.init(
            slug: row["slug"],
            title: row["title"],
            description: row["description"],
            body: row["body"],
            tagList: try JSONDecoder().decode([String].self, from: row["tagList"]),
            createdAt: row["createdAt"],
            updatedAt: row["updatedAt"],
            favorited: row["favorited"],
            favoritesCount: row["favoritesCount"],
            author: Profile(row)
        )
    }
}
