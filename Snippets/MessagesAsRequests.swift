//! Every way from the properties of a message to its request, and what an API refuses.

import Duet
import DuetHTTP
import Foundation
import HTTPTypes

struct Talk: Codable, Sendable {
    let id: String
    let title: String
}

// snippet.parameters
struct FindTalks: Searchable, Filterable, Pageable {
    typealias Value = [Talk]
    static let route: QueryRoute<Self> = .get("v1/rooms/{room}/talks")

    let room: String
    var searchText: String?
    var filter: TalkFilter?
    var page: Int?
    var tags: [String] = []
}

struct TalkFilter: Codable, Sendable {
    var isLive: Bool?
    var after: Date?
}

struct RateTalk: IDCommand {
    static let route: CommandRoute<Self> = .put("v1/talks/{id}/rating")

    let id: String
    let stars: Int
    var comment: String?
}

struct RemoveTalks: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("v1/rooms/{room}/talks")

    let room: String
    let before: Date
}
// snippet.end

// snippet.day
/// A day of the calendar, such as `2026-11-27`: the format `date` of OpenAPI.
struct Day: Codable, Hashable, Sendable {
    private static let format = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()

    /// The beginning of the day in UTC.
    let start: Date

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let start = try? Self.format.parse(text), start.formatted(Self.format) == text else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be a day, as in 2026-11-27")
        }
        self.start = start
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(start.formatted(Self.format))
    }
}

// GET v1/days/2026-11-27/talks?after=…
struct LoadTalksOfDay: HTTPQuery {
    typealias Value = [Talk]
    static let route: QueryRoute<Self> = .get("v1/days/{day}/talks")

    let day: Day
    var after: Day?
}
// snippet.end

// snippet.post
// POST v1/talks/search   {"ids": […]}
struct LoadTalks: HTTPQuery {
    typealias Value = [Talk]
    static let route: QueryRoute<Self> = .post("v1/talks/search")

    let ids: [String]
}
// snippet.end

// snippet.body
// PUT v1/talks/{id}/title?notify=…   {"en": …, "de": …}
struct SetTitle: BodyCommand {
    static let route: CommandRoute<Self> = .put("v1/talks/{id}/title").bodyProperty("titles")

    let id: String
    let notify: Bool
    let titles: [String: String]
    var body: [String: String] { titles }
}
// snippet.end

// snippet.payload
// GET v1/talks/count   200: {"total": 12}
struct CountTalks: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("v1/talks/count")

    struct Payload: Codable, Sendable {
        let total: Int
    }

    static func value(from payload: Payload, answering query: Self) -> Int { payload.total }
    static func payload(from value: Int, answering query: Self) -> Payload { Payload(total: value) }
}
// snippet.end

struct Todo: Codable, Sendable {
    let id: String
    let text: String
}

struct NoSuchList: HTTPProblem {
    static let problemType = "https://example.com/problems/no-such-list"
    let list: String
    var status: HTTPResponse.Status { .notFound }
}

// snippet.given
// GET articles/{slug}.json   200: {"article": {"title": …, "text": null}}
struct GetArticle: HTTPQuery, Hashable {
    typealias Value = Article
    static let route: QueryRoute<Self> = .get("articles/{slug}.json").envelope("article")

    let slug: String
}

struct Article: Codable, Sendable {
    let title: String
    @Nullable var text: String?
}

// PATCH articles/{slug}.json   {"article": {"text": null}}   200: {"article": …}
struct UpdateArticle: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .patch("articles/{slug}.json")

    struct Changes: Codable, Hashable, Sendable {
        var title = JSONMember<String>.absent
        var text = JSONMember<String>.absent
    }

    let slug: String
    let article: Changes

    func answer(from _: Article?) -> GetArticle? { GetArticle(slug: slug) }
}

// POST articles/{slug}.json:rate   stars=5
struct RateArticle: HTTPCommand {
    static let route: CommandRoute<Self> = .post("articles/{slug}.json:rate").formEncoded()

    let slug: String
    let stars: Int
}
// snippet.end

// snippet.pages
// GET articles   200: [{…}], Link: <https://example.com/articles?page=2>; rel="next"
struct ListArticles: HTTPQuery {
    typealias Value = [Article]
    static let route: QueryRoute<Self> = .get("articles")
}

func titles(_ api: any Dispatcher) async throws -> [String] {
    var titles: [String] = []
    do {
        for try await page in api.pages(of: ListArticles()) { titles += page.map(\.title) }
    } catch let error as PageError {
        print("The list ends before page \(error.page).")
    }
    return titles
}
// snippet.end

// snippet.headers
struct TodoPage: Sendable {
    let todos: [Todo]
    var range: String?
}

// GET todos?offset=…   206: [{…}], Content-Range: 25-49/3573
struct ListTodos: ThirdPartyQuery {
    typealias Value = TodoPage
    static let route: QueryRoute<Self> = .get("todos")
        .readingHeaders { page, fields in page.range = fields[.contentRange] }

    let offset: Int

    static func value(from payload: [Todo], answering query: Self) -> TodoPage { TodoPage(todos: payload) }
}
// snippet.end

enum TodoOrder: String, Codable, Sendable {
    case newest, oldest
}

// snippet.declarations
// POST lists/{list}/search   {"language": …, "sort": …}
struct FindTodos: Orderable {
    typealias Value = [Todo]
    static let messageName = "todos.find"
    static let route: QueryRoute<Self> = .post("lists/{list}/search")
        .parameterNames(["order": "sort"])
        .coding(HTTPCoding(keys: .snakeCase, dates: .secondsSince1970))
        .requestHeader(.acceptLanguage, \.language)
        .requestHeaders([.accept: "application/json"])
        .bypassing(RetryingHTTPClient.self)
        .throwing(NoSuchList.self)
        .acceptedStatuses(200...204)
        .responseHeader(.contentLanguage) { query in query.language }
        .responseHeaders([.cacheControl: "no-store"])
        .encodingEachTime()

    let list: String
    let language: String
    var order = TodoOrder.newest
}

// PATCH lists/{list}?at=…   "title"
struct RenameList: BodyCommand {
    static let route: CommandRoute<Self> = .patch("lists/{list}")
        .parameterDefaults(["at": "0"])
        .bodyProperty("title")
        .responding(with: .ok)

    let list: String
    let at: Int
    let title: String
    var body: String { title }
}

let settings = HTTPSettings(
    coding: HTTPCoding(keys: .snakeCase, dates: .millisecondsSince1970),
    parameterNames: ["perPage": "limit"],
    headers: [.userAgent: "todos/1"],
    acceptedStatuses: 200...299,
    acceptsAnyMediaType: false
)
// snippet.end

// snippet.faulty
struct LoadSpeaker: HTTPQuery {
    typealias Value = Talk
    static let route: QueryRoute<Self> = .get("speakers/{id}")
    let name: String
}

struct FindSpeaker: HTTPQuery {
    typealias Value = Talk
    static let route: QueryRoute<Self> = .get("speakers/{name}")
    let name: String
}

struct ListSpeakers: Searchable {
    struct Filter: Codable {
        let searchText: Int
    }

    typealias Value = [Talk]
    static let route: QueryRoute<Self> = .get("speakers")
    let searchText: String?
    let filter: Filter
}
// snippet.end

/// Prints each request in place of sending it, and responds with an empty list.
struct PrintingClient: HTTPClient {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let content = body?.whole.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        print("\(request.method) \(request.path ?? "")\(content)")
        return (HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), HTTPBody(Data("[]".utf8)))
    }
}

let server = try BaseURL("http://localhost")
let client = PrintingClient()
let api = HTTPDispatcher(baseURL: server, client: client)

// snippet.send
let start = Date(timeIntervalSince1970: 0)
let filter = TalkFilter(isLive: true, after: start)
_ = try await api.dispatch(FindTalks(room: "Main Hall", searchText: "a & b", filter: filter, tags: ["swift", "http"]))
try await api.dispatch(RateTalk(id: "7", stars: 5))
try await api.dispatch(RemoveTalks(room: "Main Hall", before: start))
// snippet.end
let day = try JSONDecoder().decode(Day.self, from: Data(#""2026-11-27""#.utf8))
_ = try await api.dispatch(LoadTalksOfDay(day: day, after: day))
_ = try await api.dispatch(LoadTalks(ids: ["7", "8"]))
_ = try await api.dispatch(ListTodos(offset: 25))
try await api.dispatch(SetTitle(id: "7", notify: true, titles: ["en": "Typed APIs"]))

try await api.dispatch(UpdateArticle(slug: "duet", article: .init(text: .null)))
try await api.dispatch(RateArticle(slug: "duet", stars: 5))
print(try await titles(api))
print(JSONMember.null.applied(to: "an old text") ?? "no text")

// snippet.api
let todos = MessageAPI("todos", authorized: .principal) {
    FindTodos.self
    RenameList.self
}
let remote = try HTTPDispatcher(todos, baseURL: server, client: client, settings: settings)
// snippet.end
_ = try await remote.dispatch(FindTodos(list: "home", language: "en"))
try await remote.dispatch(RenameList(list: "home", at: 0, title: "Home"))

// snippet.check
do {
    let speakers = MessageAPI("speakers", authorized: .open) {
        LoadSpeaker.self
        FindSpeaker.self
        ListSpeakers.self
    }
    _ = try HTTPDispatcher(speakers, baseURL: server, client: client)
} catch {
    print(error)
}
// snippet.end
