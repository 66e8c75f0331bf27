import Duet
import DuetCaching
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import GRDB
import HTTPTypes
import TestSupport
import Testing

@testable import realworld

/// The example's client and server, without a network between them.
struct RealWorldTests {
    private let date = TestDate(Date(timeIntervalSince1970: 1_796_471_900.12))
    private let network: any HTTPClient

    init() async throws {
        network = RouterHTTPClient(try await makeRouter(try DatabaseQueue(), passwordRounds: 16, now: date.now))
    }

    @Test func `a registration answers the login, and a login that fails says why`() async throws {
        let jane = try await register("jane")
        #expect([jane.username, jane.email] == ["jane", "jane@example.com"] && jane.bio == nil && !jane.token.isEmpty)
        #expect(try await client(jane.token).dispatch(GetUser()).username == "jane")

        let wrong = Login(user: .init(email: "jane@example.com", password: "wrong"))
        await #expect(throws: Refusal.wrongPassword) { try await client().dispatch(wrong) }
        await #expect(throws: AuthorizationError.self) { try await client().dispatch(GetUser()) }
        let taken = ["username": ["has already been taken"], "email": ["has already been taken"]]
        await #expect(throws: Refusal(.conflict, taken)) { try await register("jane") }
    }

    @Test func `writes are answered with the values of queries`() async throws {
        let (jane, sam) = (try client(try await register("jane").token), try client(try await register("sam").token))
        let first = try await jane.answer(to: CreateArticle(article: .hello))
        let second = try await jane.answer(to: CreateArticle(article: .hello))
        #expect([first.slug, second.slug] == ["hello-duet", "hello-duet-2"])
        #expect(try await jane.dispatch(GetArticle(slug: first.slug)) == first)

        let liked = try await sam.answer(to: Favorite(slug: first.slug))
        #expect((liked.favorited, liked.favoritesCount, liked.author.following) == (true, 1, false))
        #expect(try await sam.answer(to: Follow(username: "jane")).following)
        #expect(try await sam.dispatch(GetFeed()).articles.map(\.slug) == [second.slug, first.slug])
        let mine = try await sam.dispatch(ListArticles(favorited: "sam", limit: 1))
        #expect((mine.articlesCount, mine.articles.first?.slug, mine.articles.first?.body) == (1, first.slug, nil))

        date.advance(by: 1)
        let changes = UpdateArticle.Changes(title: .value("Bye"), tagList: .value([]))
        let changed = try await jane.answer(to: UpdateArticle(slug: first.slug, article: changes))
        #expect((changed.slug, changed.body, changed.tagList) == ("bye", "The text.", []))
        #expect((changed.createdAt, changed.updatedAt) == (first.createdAt, first.createdAt + 1))

        let comment = try await sam.answer(to: AddComment(slug: "bye", comment: .init(body: "Nice")))
        #expect(try await jane.dispatch(ListComments(slug: "bye")).map(\.id) == [comment.id])
        await #expect(throws: Refusal.forbidden("comment")) {
            try await jane.dispatch(DeleteComment(slug: "bye", id: comment.id))
        }
        await #expect(throws: Refusal.forbidden("article")) { try await sam.dispatch(DeleteArticle(slug: "bye")) }
        try await jane.dispatch(DeleteArticle(slug: "bye"))
        await #expect(throws: Refusal.notFound("article")) { try await jane.value(of: GetArticle(slug: "bye")) }
    }

    @Test func `a member that is absent stays, and null removes a text`() async throws {
        let jane = try client(try await register("jane").token)
        #expect(try await jane.answer(to: UpdateUser(user: .init(bio: .value("Hi")))).bio == "Hi")
        #expect(try await jane.answer(to: UpdateUser(user: .init(username: .value("ann")))).bio == "Hi")
        #expect(try await jane.answer(to: UpdateUser(user: .init(bio: .null))).bio == nil)
    }

    @Test(
        arguments: [
            ("GET", "/api/user", "", 401, #"{"errors":{"token":["is missing"]}}"#),
            ("GET", "/api/articles", "", 200, #"{"articles":[],"articlesCount":0}"#),
            ("GET", "/api/articles?limit=0", "", 422, #"{"errors":{"limit":["must be 1 to 100"]}}"#),
            ("GET", "/api/articles/none", "", 404, #"{"errors":{"article":["not found"]}}"#),
            ("GET", "/api/articles/none/comments/1", "", 405, #"{"errors":{"request":["#),
            ("GET", "/api/nowhere", "", 404, #"{"errors":{"request":["There is nothing at /api/nowhere."]}}"#),
            (
                "POST", "/api/users", #"{"user":{"email":"a","password":"b"}}"#, 422,
                #"{"errors":{"username":["is missing."]}}"#
            ),
            ("POST", "/api/users", #"{"user":{"username":"a\u0000","email":" ","password":"b"}}"#, 422, refusedTexts),
            ("POST", "/api/users", #"{"user":{"username":7}}"#, 422, #"{"errors":{"username":["must be a string."]}}"#),
            ("POST", "/api/users/login", "{", 422, #"{"errors":{"body":["is not JSON: "#),
        ]
    )
    func `the wire format is that of the specification`(
        _ method: String,
        path: String,
        json: String,
        code: Int,
        start: String
    ) async throws {
        var request = HTTPRequest(method: .init(rawValue: method)!, scheme: "http", authority: "localhost", path: path)
        if !json.isEmpty { request.headerFields[.contentType] = "application/json" }
        let (response, body) = try await network.data(for: request, body: json.isEmpty ? nil : Data(json.utf8))
        #expect(response.status.code == code)
        #expect(String(decoding: body, as: UTF8.self).hasPrefix(start), "\(String(decoding: body, as: UTF8.self))")
    }

    @Test(arguments: ["Token", "Bearer"])
    func `values have the members of the specification`(_ scheme: String) async throws {
        let token = try await register("jane").token
        try await client(token).dispatch(CreateArticle(article: .hello))
        func body(_ path: String) async throws -> String {
            var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
            request.headerFields[.authorization] = "\(scheme) \(token)"
            return String(decoding: try await network.data(for: request).1, as: UTF8.self)
        }
        let user = #"{"user":{"bio":null,"email":"jane@example.com","image":null,"token":""#
        #expect(try await body("/api/user").hasPrefix(user))
        #expect(try await body("/api/articles/hello-duet").contains(#""createdAt":"2026-12-05T11:58:20.120Z""#))
    }

    @Test func `a repeated request has one effect and the same answer`() async throws {
        let jane = try client(try await register("jane").token)
        let change = UpdateArticle(slug: "hello-duet", article: .init(title: .value("Bye")))
        for _ in 1...2 {
            let slug = try await withIdempotencyKey("1") { try await jane.answer(to: CreateArticle(article: .hello)) }
                .slug
            #expect(slug == "hello-duet")
        }
        for _ in 1...2 {
            #expect(try await withIdempotencyKey("2") { try await jane.answer(to: change) }.slug == "bye")
        }
        #expect(try await jane.dispatch(ListArticles()).articlesCount == 1)
    }

    @Test func `a new title with the same words keeps the slug`() async throws {
        let jane = try client(try await register("jane").token)
        try await jane.dispatch(CreateArticle(article: .hello))
        let change = UpdateArticle(slug: "hello-duet", article: .init(title: .value("Hello, Duet")))
        #expect(try await jane.answer(to: change).slug == "hello-duet")
    }

    @Test func `a terminal gets no control characters, and a list one line for each article`() {
        #expect("a\u{1B}[31m\u{202E}b\nc".visible == "a[31mb\nc")
        #expect("a\nb".line == "a b")
    }

    @Test func `the rules cover what each command changes`() async throws {
        let jane = try client(try await register("jane").token)
        let slug = try await jane.answer(to: CreateArticle(article: .hello)).slug
        let comment = try await jane.answer(to: AddComment(slug: slug, comment: .init(body: "Nice"))).id
        try await jane.dispatch(Follow(username: "jane"))
        func check(_ command: some Command) async throws {
            // Deleted records are asked for before they are gone.
            _ = try? await jane.dispatch(GetArticle(slug: slug))
            _ = try? await jane.dispatch(ListComments(slug: slug))
            _ = try await jane.dispatch(ListArticles())
            _ = try await jane.dispatch(ListArticles(favorited: "jane"))
            _ = try await jane.dispatch(GetFeed())
            _ = try await jane.dispatch(ListTags())
            _ = try await jane.dispatch(GetProfile(username: "jane"))
            #expect(try await jane.uncoveredChanges(after: command) == [])
        }
        try await check(Favorite(slug: slug))
        try await check(Unfavorite(slug: slug))
        try await check(Unfollow(username: "jane"))
        try await check(Follow(username: "jane"))
        try await check(AddComment(slug: slug, comment: .init(body: "Nice, too")))
        try await check(DeleteComment(slug: slug, id: comment))
        try await check(CreateArticle(article: .hello))
        try await check(UpdateUser(user: .init(bio: .value("Hi"))))
        try await check(UpdateArticle(slug: slug, article: .init(body: .value("Another"), tagList: .value(["x"]))))
        try await check(DeleteArticle(slug: slug))
    }

    @Test func `without a server, the client has what it read before`() async throws {
        let store = InMemoryCacheStore()
        try await client(try await register("jane").token).dispatch(CreateArticle(article: .hello))
        let first = try client(over: network, store: store)
        _ = try await first.dispatch(ListArticles())
        try await first.cache.flush()

        let second = try client(over: NoServer(), store: store)
        let saved = try await second.read(ListArticles(), .freshOrStale)
        #expect(saved.value.articlesCount == 1 && saved.error is NoServer.Gone)
    }

    private func register(_ name: String) async throws -> User {
        let user = Register.NewUser(username: name, email: "\(name)@example.com", password: "correct horse")
        return try await client().answer(to: Register(user: user))
    }

    private func client(_ token: String? = nil) throws -> CachingDispatcher {
        try client(token, over: network, store: InMemoryCacheStore())
    }

    private func client(
        _ token: String? = nil,
        over network: any HTTPClient,
        store: some CacheStore
    ) throws -> CachingDispatcher {
        try makeClient(network, at: BaseURL("http://localhost/api"), token: token, store: store, timeout: .seconds(600))
    }
}

extension CreateArticle.NewArticle {
    fileprivate static let hello = Self(
        title: "Hello Duet!",
        description: "A first article",
        body: "The text.",
        tagList: ["swift"]
    )
}

private let refusedTexts = #"{"errors":{"email":["can't be blank"],"username":["has control characters"]}}"#

/// A network whose server is gone.
private struct NoServer: HTTPClient {
    struct Gone: Error {}

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) { throw Gone() }
}
