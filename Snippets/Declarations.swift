//! Everything that a message can say of itself over HTTP, each with the type that it needs.

import Duet
import DuetHTTP
import HTTPTypes

struct Todo: Codable, Sendable {
    let id: String
    let text: String
}

struct NoSuchList: HTTPProblem {
    static let problemType = "https://example.com/problems/no-such-list"
    let list: String
    var status: HTTPResponse.Status { .notFound }
}

enum TodoOrder: String, Codable, Sendable {
    case newest, oldest
}

// snippet.show
// POST lists/{list}/search   {"sort": "newest"}
struct FindTodos: Orderable {
    typealias Value = [Todo]
    static let messageName = "todos.find"  // module and type
    static let route: QueryRoute<Self> = .post("lists/{list}/search")  // get, post
        .parameterNames(["order": "sort"])  // as the coding writes keys
        .coding(HTTPCoding(keys: .snakeCase, dates: .secondsSince1970))  // that of the settings
        .requestHeader(.acceptLanguage, \.language)  // none
        .requestHeaders([.accept: "application/json"])  // none
        .bypassing(RetryingHTTPClient.self)  // none
        .throwing(NoSuchList.self)  // none
        .authorized(.principal)  // that of the settings
        .acceptedStatuses(200...204)  // those of the settings
        .responseHeader(.contentLanguage) { query in query.language }  // none
        .responseHeaders([.cacheControl: "no-store"])  // none

    let list: String
    let language: String
    var order = TodoOrder.newest
}

// PATCH lists/{list}?at=…, with a body of its own
struct RenameList: BodyCommand {
    static let route: CommandRoute<Self> = .patch("lists/{list}")  // post, put, patch, delete
        .parameterDefaults(["at": "0"])  // none: by wire name
        .bodyProperty("title")  // body
        .responding(with: .ok)  // 204 No Content

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
    acceptsAnyMediaType: false,
    problems: [NoSuchList.self],
    authorize: .principal
)
// snippet.hide
_ = try HTTPAPI(settings) {
    FindTodos.self
    RenameList.self
}
