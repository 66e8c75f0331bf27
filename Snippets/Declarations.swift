//! Everything that a message can say of itself over HTTP, each with the type that it needs.

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
    static let path = "lists/{list}/search"  // to be said
    static let method = QueryMethod.post  // .get
    static let messageName = "todos.find"  // module and type
    static let parameterNames = ["order": "sort"]  // as the coding writes keys
    static var coding: HTTPCoding? { HTTPCoding(keys: .snakeCase, dates: .secondsSince1970) }  // .asWritten, .rfc3339
    static var acceptedStatuses: ClosedRange<Int>? { 200...204 }  // 200...299
    static let problems: [any HTTPProblem.Type] = [NoSuchList.self]  // none
    static let withoutDecorators: [any HTTPClientDecorator.Type] = [RetryingHTTPClient.self]  // none
    static let authorize: AuthorizationRule<FindTodos> = .principal  // server: .unsaid
    static let responseHeaders: HTTPFields = [.cacheControl: "no-store"]  // server: none
    var requestHeaders: HTTPFields { [.acceptLanguage: "en"] }  // none; of the instance

    let list: String
    var order = TodoOrder.newest
}

// PATCH lists/{list}?at=…, with a body of its own
struct RenameList: BodyCommand {
    static let path = "lists/{list}"
    static let method = CommandMethod.patch  // to be said
    static let bodyProperty = "title"  // "body"
    static let parameterDefaults = ["at": "0"]  // by wire name; none
    static let successStatus = HTTPResponse.Status.ok  // server: .noContent

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
// What is of another type than the requirement is another property, and the default stays.
let (query, command): (any HTTPMessage.Type, any HTTPCommand.Type) = (FindTodos.self, RenameList.self)
precondition(query.messageName == "todos.find" && query.parameterNames == ["order": "sort"])
precondition(query.coding?.keys == .snakeCase && query.acceptedStatuses == 200...204)
precondition(query.problems.count == 1 && query.withoutDecorators.count == 1 && query.responseHeaders.count == 1)
precondition(command.method == .patch && command.successStatus == .ok && command.parameterDefaults == ["at": "0"])
