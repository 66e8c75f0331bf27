import Duet
import DuetHTTP
import Foundation
import HTTPTypes

struct Article: Codable, Hashable, Sendable {
    /// The name in addresses, which the server makes of the title.
    let slug: String
    let title: String
    let description: String
    /// Nil in a list.
    let body: String?
    let tagList: [String]
    let createdAt: Date
    let updatedAt: Date
    /// Whether the sender of the query likes this article.
    let favorited: Bool
    let favoritesCount: Int
    let author: Profile
}

struct ArticlePage: Codable, Hashable, Sendable {
    let articles: [Article]
    /// The number of articles on all pages.
    let articlesCount: Int
}

// GET articles/{slug}
struct GetArticle: HTTPQuery, Hashable {
    typealias Value = Article
    static let route: QueryRoute<Self> = .get("articles/{slug}").envelope("article")

    let slug: String
}

// GET articles?tag=…&author=…&favorited=…&offset=…&limit=…, the newest first.
struct ListArticles: HTTPQuery, Hashable, Validatable {
    typealias Value = ArticlePage
    static let route: QueryRoute<Self> = .get("articles").parameterDefaults(["offset": "0", "limit": "20"])

    var tag: String?
    /// A username.
    var author: String?
    /// The username of somebody who likes the articles.
    var favorited: String?
    var offset = 0
    var limit = 20

    func validate() throws { try Refusal.checkPage(offset: offset, limit: limit) }
}

// GET articles/feed?offset=…&limit=…, the articles of the users whom the sender follows.
struct GetFeed: HTTPQuery, Hashable, Validatable {
    typealias Value = ArticlePage
    static let route: QueryRoute<Self> = .get("articles/feed").parameterDefaults(["offset": "0", "limit": "20"])

    var offset = 0
    var limit = 20

    func validate() throws { try Refusal.checkPage(offset: offset, limit: limit) }
}

// GET tags, by name.
struct ListTags: HTTPQuery, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("tags").envelope("tags")
}

// POST articles, where the server chooses the slug. A client finds the answer in the response.
struct CreateArticle: HTTPCommand, AnsweredCommand, Validatable {
    static let route: CommandRoute<Self> = .post("articles").responding(with: .created)

    struct NewArticle: Codable, Sendable {
        let title: String
        let description: String
        let body: String
        var tagList: [String]?
    }

    let article: NewArticle

    func answer(from created: Article?) -> GetArticle? { created.map { GetArticle(slug: $0.slug) } }

    func validate() throws {
        try Refusal.check(["title": article.title, "description": article.description])
        try Refusal.check(["body": article.body], .text)
        try Refusal.checkTags(article.tagList ?? [])
    }
}

// PUT articles/{slug}, where a new title changes the slug.
struct UpdateArticle: HTTPCommand, AnsweredCommand, Validatable {
    static let route: CommandRoute<Self> = .put("articles/{slug}")

    struct Changes: Codable, Sendable {
        var title = JSONMember<String>.absent
        var description = JSONMember<String>.absent
        var body = JSONMember<String>.absent
        var tagList = JSONMember<[String]>.absent
    }

    let slug: String
    let article: Changes

    func answer(from updated: Article?) -> GetArticle? { updated.map { GetArticle(slug: $0.slug) } }

    func validate() throws {
        try Refusal.check("title", article.title)
        try Refusal.check("description", article.description)
        try Refusal.check("body", article.body, .text)
        if article.tagList == .null { throw Refusal.invalid(["tagList": ["can't be null"]]) }
        try Refusal.checkTags(article.tagList.applied(to: nil) ?? [])
    }
}

// DELETE articles/{slug}
struct DeleteArticle: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("articles/{slug}")

    let slug: String
}

// POST articles/{slug}/favorite
struct Favorite: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("articles/{slug}/favorite")

    let slug: String

    func answer(from _: Article?) -> GetArticle? { GetArticle(slug: slug) }
}

// DELETE articles/{slug}/favorite
struct Unfavorite: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .delete("articles/{slug}/favorite")

    let slug: String

    func answer(from _: Article?) -> GetArticle? { GetArticle(slug: slug) }
}
