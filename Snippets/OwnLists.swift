//! A server where everybody has a list of their own: who may have what handled, and what is checked before a handler sees it.

import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Hummingbird

// snippet.rules
struct Todo: Codable, Equatable, Sendable {
    let id: Int
    let text: String
}

// GET users/{user}/todos?page=…&perPage=…, for that user only
struct ListTodos: Pageable, Validatable {
    typealias Value = [Todo]
    static let route: QueryRoute<Self> = .get("users/{user}/todos")
        .parameterDefaults(["perPage": "30"])
        .authorized(.when { query, principal in query.user == principal.id })

    let user: String
    var page: Int?
    var perPage = 30

    func validate() throws {
        guard 1...1_000 ~= page ?? 1, 1...100 ~= perPage else { throw InvalidPage() }
    }
}

struct InvalidPage: Error, CustomStringConvertible {
    var description: String { "page must be 1 to 1000, and perPage 1 to 100." }
}

// POST todos   {"id": …, "text": …}, for anybody who shows a token
struct AddTodo: HTTPCommand {
    static let route: CommandRoute<Self> = .post("todos").authorized(.principal)

    let id: Int
    let text: String
}

struct AddTodoHandler: CommandHandler {
    let store: TodoStore

    func handle(_ command: AddTodo) async throws {
        guard let user = Principal.current?.id else { throw NoPrincipal() }
        await store.add(Todo(id: command.id, text: command.text), of: user)
    }
}
// snippet.end

/// The rule sees to it that there is one; a handler that is called in another way may have none.
struct NoPrincipal: Error {}

struct ListTodosHandler: QueryHandler {
    let store: TodoStore

    func handle(_ query: ListTodos) async throws -> [Todo] {
        let todos = await store.todos(of: query.user)
        return Array(todos.dropFirst(((query.page ?? 1) - 1) * query.perPage).prefix(query.perPage))
    }
}

actor TodoStore {
    private var todos: [String: [Todo]] = [:]

    func add(_ todo: Todo, of user: String) { todos[user, default: []].append(todo) }
    func todos(of user: String) -> [Todo] { todos[user] ?? [] }
}

let store = TodoStore()
let dispatcher = try StandardDispatcher {
    AddTodoHandler(store: store)
    ListTodosHandler(store: store)
}
let tokens = StaticTokenAuthenticator([TokenHash(of: "token-of-ada"): Principal(id: "ada")])
let todos = try HTTPAPI {
    AddTodo.self
    ListTodos.self
}
let router = Router()
try router.mount(dispatcher, todos, authenticator: tokens)

let server = try BaseURL("http://localhost")
let stranger = HTTPDispatcher(baseURL: server, client: RouterHTTPClient(router))
let ada = HTTPDispatcher(baseURL: server, client: RouterHTTPClient(router).authenticated(by: .bearer("token-of-ada")))

try await ada.dispatch(AddTodo(id: 1, text: "milk"))
let listed = try await ada.dispatch(ListTodos(user: "ada"))
guard listed == [Todo(id: 1, text: "milk")] else { preconditionFailure("\(listed)") }

func refusal(of query: ListTodos, to api: HTTPDispatcher) async throws -> String {
    do {
        return "\(try await api.dispatch(query))"
    } catch let failure as HTTPFailure {
        return "\(failure.status.code) \(failure.problem?.detail ?? "")"
    } catch {
        // The dispatcher validates a message before it sends it, and throws the message's own error.
        return "\(error)"
    }
}
print(try await refusal(of: ListTodos(user: "ada"), to: stranger))
print(try await refusal(of: ListTodos(user: "bob"), to: ada))
let unchecked = try await refusal(of: ListTodos(user: "ada", perPage: 101), to: ada)
guard unchecked == "page must be 1 to 1000, and perPage 1 to 100." else { preconditionFailure(unchecked) }
