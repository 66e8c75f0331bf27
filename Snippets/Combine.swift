//! A client of another server's API with everything at once: a cache in a file, changes that are shown at once,
//! commands that wait for a connection, errors of the API, a sign-in and a sign-out.

// snippet.messages
import Duet
import DuetCaching
import DuetHTTP
import DuetSQLite
import Foundation
// snippet.hide
import HTTPTypes

// snippet.show

struct Todo: Codable, Hashable, Sendable {
    let id: String
    var title: String
    var isDone: Bool?
}

// GET todos   {"data": [{…}]}
struct ListTodos: ThirdPartyQuery, Hashable, Codable {
    typealias Value = [Todo]
    static let route: QueryRoute<Self> = .get("todos")

    struct Payload: Codable, Sendable {
        let data: [Todo]
    }

    static func value(from payload: Payload, answering query: Self) -> [Todo] { payload.data }
}

// PUT todos/{id}   {"data": {…}}
struct PutTodo: BodyCommand, IDCommand, Codable {
    static let route: CommandRoute<Self> = .put("todos/{id}")

    let id: String
    let body: Record

    struct Record: Codable, Sendable {
        let data: Todo
    }

    init(_ todo: Todo) {
        id = todo.id
        body = Record(data: todo)
    }
}

// DELETE todos/{id}
struct RemoveTodo: IDCommand, Codable {
    static let route: CommandRoute<Self> = .delete("todos/{id}")

    let id: String
}
// snippet.end

// snippet.rules
@ListBuilder<CacheRule>
func todoRules() -> [CacheRule] {
    // Shown at each launch, also without a connection.
    Cache(ListTodos.self, .maxAge(.minutes(1)).staleIfError(.days(30))).stored(version: 1)
    Invalidate(ListTodos.self, after: PutTodo.self, RemoveTodo.self)

    // Shown before the server has responded.
    OptimisticUpdate(ListTodos.self, by: PutTodo.self) { todos, _, command in
        todos.removeAll { $0.id == command.id }
        todos.append(command.body.data)
    }
    OptimisticUpdate(ListTodos.self, by: RemoveTodo.self) { todos, _, command in
        todos.removeAll { $0.id == command.id }
    }
}
// snippet.end

// snippet.errors
// {"code": 403, "message": "…"}
struct TodoError: Error, Decodable {
    let code: Int
    let message: String?
}
// snippet.end

// snippet.session
/// The credentials of the current user.
actor Session: TokenSource {
    nonisolated let scheme = "Basic"
    private var credentials: ConstantTokenSource?

    func signIn(_ user: String, password: String) { credentials = .basic(user: user, password: password) }

    func signOut() { credentials = nil }

    func current() async throws -> String? {
        guard let credentials else { throw SignedOut() }
        return try await credentials.current()
    }

    /// A password cannot be refreshed.
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

struct SignedOut: TemporaryError {
    let isTemporary = false
    let needsSignIn = true
}
// snippet.end

// snippet.compose
struct Account {
    let todos: CachingDispatcher
    let queue: CommandQueue

    /// - Parameter folder: A folder for this account alone.
    init(_ session: Session, at server: BaseURL, in folder: URL, _ client: any HTTPClient) async throws {
        func path(_ name: String) -> String { folder.appending(component: name).path }
        let values = try await SQLiteCacheStore(path: path("values.sqlite"))
        let commands = try await SQLiteCommandStore(path: path("commands.sqlite"), onLoss: { print($0) })
        queue = CommandQueue(in: commands)
        let client = client.authenticated(by: session).retrying().deadline(.seconds(10))
        let memory = CacheMemory.memory(limit: .entries(1_000)).backed(by: values) { failure in print(failure) }
        todos = try HTTPDispatcher(baseURL: server, client: client)
            .decodingErrors(as: TodoError.self)
            .intercepting(RemoveTodo.self) { command, next in
                // There is no such todo anymore. A 404 of a proxy has no error of the API.
                do { try await next.dispatch(command) } catch let error as TodoError where error.code == 404 {}
            }
            .queueing(in: queue) {
                // Kept until the server can be reached. One order for all commands of a todo.
                Enqueue(PutTodo.self, version: 1, inOrderOf: \.id)
                Enqueue(RemoveTodo.self, version: 1, inOrderOf: \.id)
            }
            .caching(in: memory) { todoRules() }
    }
}
// snippet.end

// snippet.signin
extension Account {
    /// - Returns: Whether the server accepts the credentials.
    func signIn(_ user: String, password: String, _ session: Session) async throws -> Bool {
        await session.signIn(user, password: password)
        do {
            _ = try await todos.read(ListTodos(), .fresh)
        } catch let error as TodoError where error.code == 401 {
            return false
        }
        queue.sendNow()
        return true
    }
}
// snippet.end

// snippet.failed
extension Account {
    /// Sends each failed command again that the person does not discard.
    func review(_ isDiscarded: (QueuedCommand) -> Bool) async throws {
        for command in queue.commands where command.isFailed {
            if isDiscarded(command) {
                try await queue.drop(command.id)
            } else {
                try await queue.retry(command.id)
            }
        }
    }
}
// snippet.end

// snippet.signout
extension Account {
    func signOut(_ session: Session, endingScreens: () async -> Void) async throws {
        try await todos.cache.signOut(dropping: { await session.signOut() }, ending: endingScreens, queue: queue)
    }
}
// snippet.end

/// A server of todos that can be out of reach.
actor TodoServer: HTTPClient {
    struct OutOfReach: Error {}

    private var todos: [String: Todo] = [:]
    private var isReachable = true

    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        guard isReachable else {
            throw HTTPClientError.connectionFailed(url: "http://todos.example", underlying: OutOfReach())
        }
        // ada:secret
        guard request.headerFields[.authorization] == "Basic YWRhOnNlY3JldA==" else {
            return (HTTPResponse(status: .unauthorized), HTTPBody(Data(#"{"code":401,"message":"Sign in."}"#.utf8)))
        }
        let id = request.path?.split(separator: "/").dropFirst().last.map { String($0) }
        if request.method == .get {
            let list = try JSONEncoder().encode(["data": todos.values.sorted { $0.title < $1.title }])
            return (HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), HTTPBody(list))
        }
        guard let id else { return (HTTPResponse(status: .notFound), HTTPBody(Data())) }
        let isKnown = todos[id] != nil
        todos[id] = try body?.whole.map { try JSONDecoder().decode(PutTodo.Record.self, from: $0).data }
        guard body != nil || isKnown else {
            return (HTTPResponse(status: .notFound), HTTPBody(Data(#"{"code":404,"message":"Gone."}"#.utf8)))
        }
        return (HTTPResponse(status: .ok), HTTPBody(Data()))
    }
}

let backend = TodoServer()
let server = try BaseURL("http://todos.example")
let folder = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
defer { try? FileManager.default.removeItem(at: folder) }

func show(_ title: String, _ account: Account) async throws {
    await account.queue.waitUntilLoaded()
    for await state in account.todos.observe(ListTodos()) where !state.isLoading {
        let texts = (state.value ?? []).map(\.title).sorted()
        print("\(title): \(texts)\(state.isOptimistic ? " (not confirmed)" : "")")
        return
    }
}

let session = Session()

func useOnline() async throws {
    let account = try await Account(session, at: server, in: folder, backend)
    print("Signed in:", try await account.signIn("ada", password: "wrong", session))
    try await account.todos.dispatch(PutTodo(Todo(id: UUID().uuidString, title: "Buy milk")))
    await account.queue.waitUntilSettled()
    print("Signed in:", try await account.signIn("ada", password: "secret", session))
    await account.queue.waitUntilSettled()
    try await show("Online", account)
}

func useOffline() async throws {
    await backend.setReachable(false)
    let account = try await Account(session, at: server, in: folder, backend)
    try await account.todos.dispatch(PutTodo(Todo(id: UUID().uuidString, title: "Call Grace")))
    try await show("Offline", account)
}

// snippet.relaunch
func useAgain() async throws {
    let account = try await Account(session, at: server, in: folder, backend)
    try await show("After a relaunch, offline", account)

    await backend.setReachable(true)
    account.queue.sendNow()
    await account.queue.waitUntilSettled()
    try await account.review { _ in false }
    try await show("The connection is back", account)

    try await account.signOut(session) {}
    try await show("Signed out", account)
}
// snippet.end

try await useOnline()
try await useOffline()
try await useAgain()
