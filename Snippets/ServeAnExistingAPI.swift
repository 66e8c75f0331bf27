//! A server for an API whose format is given: its paths, members, dates, credentials, errors and answers.

// snippet.imports
import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird

// snippet.end

// snippet.values
struct Article: Codable, Sendable {
    let slug: String
    var title: String
    @Nullable var text: String?
    let createdAt: Date
}

// GET articles/{slug}   200: {"article": {…}}
struct GetArticle: HTTPQuery, Hashable {
    typealias Value = Article
    static let route: QueryRoute<Self> = .get("articles/{slug}").envelope("article")

    let slug: String
}
// snippet.end

// snippet.writes
// POST articles   {"article": {"title": …}}   201: {"article": {…}}
struct CreateArticle: HTTPCommand, AnsweredCommand, Validatable {
    static let route: CommandRoute<Self> = .post("articles").responding(with: .created)

    struct New: Codable, Sendable {
        let title: String
        var text: String?
    }

    let article: New

    func answer(from created: Article?) -> GetArticle? { created.map { GetArticle(slug: $0.slug) } }

    func validate() throws {
        if article.title.isEmpty { throw InvalidFields(errors: ["title": ["can't be blank"]]) }
    }
}

// PUT articles/{slug}   {"article": {"text": null}}   200: {"article": {…}}
struct UpdateArticle: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .put("articles/{slug}")

    struct Changes: Codable, Sendable {
        var title = JSONMember<String>.absent
        var text = JSONMember<String>.absent
    }

    let slug: String
    let article: Changes

    func answer(from _: Article?) -> GetArticle? { GetArticle(slug: slug) }
}
// snippet.end

// snippet.errors
// 422: {"errors": {"title": ["can't be blank"]}}
struct InvalidFields: HTTPProblem {
    static let problemType = "https://example.com/problems/invalid-fields"
    let errors: [String: [String]]
    var status: HTTPResponse.Status { .unprocessableContent }
}

struct NoSuchArticle: HTTPProblem {
    static let problemType = "https://example.com/problems/no-such-article"
    var status: HTTPResponse.Status { .notFound }
}

struct ErrorBody: Encodable {
    let errors: [String: [String]]
}

let refusals: RefusalFormat = { refusal in
    if let error = refusal.error as? InvalidFields { return RefusalContent(ErrorBody(errors: error.errors)) }
    let text = refusal.detail ?? refusal.status.reasonPhrase
    let status: HTTPResponse.Status? = refusal.status == .badRequest ? .unprocessableContent : nil
    return RefusalContent(ErrorBody(errors: [refusal.member ?? "request": [text]]), status: status)
}
// snippet.end

// snippet.list
let articles = MessageAPI("articles", throwing: InvalidFields.self, NoSuchArticle.self, authorized: .principal) {
    GetArticle.authorized(.open)
    CreateArticle.self
    UpdateArticle.self
}
// snippet.end

// snippet.handlers
actor ArticleStore {
    private var articles: [String: Article] = [:]

    func insert(_ article: Article) { articles[article.slug] = article }

    func article(_ slug: String) throws -> Article {
        guard let article = articles[slug] else { throw NoSuchArticle() }
        return article
    }
}

struct CreateArticleHandler: AnsweringHandler {
    let store: ArticleStore
    let now: @Sendable () -> Date

    func handle(_ command: CreateArticle) async throws -> GetArticle {
        let (title, text) = (command.article.title, command.article.text)
        let slug = title.lowercased().split(separator: " ").joined(separator: "-")
        await store.insert(Article(slug: slug, title: title, text: text, createdAt: now()))
        return GetArticle(slug: slug)
    }
}

struct UpdateArticleHandler: CommandHandler {
    let store: ArticleStore

    func handle(_ command: UpdateArticle) async throws {
        var article = try await store.article(command.slug)
        article.title = command.article.title.applied(to: article.title) ?? ""
        article.text = command.article.text.applied(to: article.text)
        await store.insert(article)
    }
}

struct GetArticleHandler: QueryHandler {
    let store: ArticleStore
    func handle(_ query: GetArticle) async throws -> Article { try await store.article(query.slug) }
}
// snippet.end

// snippet.mount
func makeRouter(_ store: ArticleStore, _ tokens: some TokenAuthenticator) throws -> Router<BasicRequestContext> {
    let dispatcher = try StandardDispatcher {
        CreateArticleHandler(store: store) { Date(timeIntervalSince1970: 1_796_471_900.001) }
        UpdateArticleHandler(store: store)
        GetArticleHandler(store: store)
    }
    let router = Router()
    try router.mount(
        articles,
        dispatcher,
        at: "/api",
        authenticator: tokens.reading(.authorization("Token")),
        options: MountOptions(
            settings: HTTPSettings(coding: HTTPCoding(dates: .rfc3339(digits: 3))),
            refusals: refusals
        )
    )
    return router
}
// snippet.end

let tokens = StaticTokenAuthenticator([TokenHash(of: "secret"): Principal(id: "jane")])
let client = RouterHTTPClient(try makeRouter(ArticleStore(), tokens))

func send(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, token: String? = nil) async throws {
    var request = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
    request.headerFields[.contentType] = json.map { _ in "application/json" }
    request.headerFields[.authorization] = token.map { "Token \($0)" }
    let (response, body) = try await client.data(for: request, body: json.map { Data($0.utf8) })
    print(response.status.code, String(decoding: body, as: UTF8.self))
}

try await send(.post, "/api/articles", #"{"article": {"title": "Hello Duet"}}"#)
try await send(.post, "/api/articles", #"{"article": {"title": "Hello Duet", "text": "…"}}"#, token: "secret")
try await send(.put, "/api/articles/hello-duet", #"{"article": {"text": null}}"#, token: "secret")
try await send(.get, "/api/articles/hello-duet")
try await send(.post, "/api/articles", #"{"article": {"title": ""}}"#, token: "secret")
try await send(.post, "/api/articles", #"{"article": {"title": 7}}"#, token: "secret")
try await send(.get, "/api/nowhere")
