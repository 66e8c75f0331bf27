//! The server and the client of the guide "Authentication", with tokens that expire and are refreshed.

// snippet.imports
import Duet
import DuetContext
import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
import DuetJWT
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import JWTKit
import Testing

// snippet.end

// snippet.messages
struct Todo: Codable, Equatable, Sendable {
    let id: Int
    let text: String
}

// GET status
struct LoadStatus: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("status")
}

// POST todos   {"id": …, "text": …}
struct AddTodo: HTTPCommand {
    static let route: CommandRoute<Self> = .post("todos")

    let id: Int
    let text: String
}

// GET users/{user}/todos
struct ListTodos: HTTPQuery {
    typealias Value = [Todo]
    static let route: QueryRoute<Self> = .get("users/{user}/todos")

    let user: String
}

// DELETE users/{user}
struct RemoveUser: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("users/{user}")

    let user: String
}
// snippet.end

// snippet.rules
let todos = MessageAPI("todos") {
    LoadStatus.authorized(.open)
    AddTodo.authorized(.principal)
    ListTodos.authorized(.when { query, principal in principal.hasID(query.user) })
    RemoveUser.authorized(.scope("admin"))
}
// snippet.end

actor TodoStore {
    private var todos: [String: [Todo]] = [:]

    func add(_ todo: Todo, of user: String) { todos[user, default: []].append(todo) }
    func todos(of user: String) -> [Todo] { todos[user] ?? [] }
    func remove(_ user: String) { todos[user] = nil }
}

// snippet.principal
struct AddTodoHandler: CommandHandler {
    let store: TodoStore

    func handle(_ command: AddTodo) async throws {
        guard let user = Principal.current?.id else { throw NoPrincipal() }
        await store.add(Todo(id: command.id, text: command.text), of: user)
    }
}

struct NoPrincipal: Error {}
// snippet.end

struct LoadStatusHandler: QueryHandler {
    func handle(_ query: LoadStatus) async throws -> String { "Open" }
}

struct ListTodosHandler: QueryHandler {
    let store: TodoStore

    func handle(_ query: ListTodos) async throws -> [Todo] { await store.todos(of: query.user) }
}

struct RemoveUserHandler: CommandHandler {
    let store: TodoStore

    func handle(_ command: RemoveUser) async throws { await store.remove(command.user) }
}

func makeDispatcher(_ store: TodoStore) throws -> StandardDispatcher {
    try StandardDispatcher {
        LoadStatusHandler()
        AddTodoHandler(store: store)
        ListTodosHandler(store: store)
        RemoveUserHandler(store: store)
    }
}

// snippet.mount
func makeRouter(_ dispatcher: any Dispatcher, tokens: any TokenAuthenticator) throws -> Router<BasicRequestContext> {
    let router = Router()
    try router.mount(todos, dispatcher, authenticator: tokens)
    return router
}
// snippet.end

// snippet.static
let tokens = StaticTokenAuthenticator([
    TokenHash(of: "token-of-ada"): Principal(id: "ada"),
    TokenHash(of: "token-of-grace"): Principal(id: "grace", scopes: ["admin"]),
])
// snippet.end

// snippet.schemes
let users = BasicAuthenticator { user, password in try await accounts.principal(named: user, password) }
let keys = StaticTokenAuthenticator(find: accounts.principal(of:)).reading(.field("X-Api-Key"))
let all = tokens.or(users).or(keys)
// snippet.end

struct Accounts {
    func principal(named user: String, _ password: String) async throws -> Principal? { nil }
    func principal(of key: TokenHash) async throws -> Principal? { nil }
}

let accounts = Accounts()

// snippet.statuses
func printStatus(_ name: String, _ operation: () async throws -> Void) async throws {
    do {
        try await operation()
        print(name, "succeeds")
    } catch let refusal as AuthorizationError {
        print(name, refusal.status.code)
    }
}

func printStatuses(_ router: Router<BasicRequestContext>) async throws {
    let server = try BaseURL("http://localhost")
    let client = RouterHTTPClient(router)
    let anonymous = HTTPDispatcher(baseURL: server, client: client)
    let ada = HTTPDispatcher(baseURL: server, client: client.authenticated(by: .bearer("token-of-ada")))
    let grace = HTTPDispatcher(baseURL: server, client: client.authenticated(by: .bearer("token-of-grace")))
    let other = HTTPDispatcher(baseURL: server, client: client.authenticated(by: .bearer("unknown")))

    try await printStatus("status, no token:") { _ = try await anonymous.dispatch(LoadStatus()) }
    try await printStatus("add, no token:") { try await anonymous.dispatch(AddTodo(id: 1, text: "Buy milk")) }
    try await printStatus("add, unknown token:") { try await other.dispatch(AddTodo(id: 1, text: "Buy milk")) }
    try await printStatus("add, ada:") { try await ada.dispatch(AddTodo(id: 1, text: "Buy milk")) }
    try await printStatus("list of ada, ada:") { _ = try await ada.dispatch(ListTodos(user: "ada")) }
    try await printStatus("list of grace, ada:") { _ = try await ada.dispatch(ListTodos(user: "grace")) }
    try await printStatus("remove, ada:") { try await ada.dispatch(RemoveUser(user: "ada")) }
    try await printStatus("remove, grace:") { try await grace.dispatch(RemoveUser(user: "ada")) }
}
// snippet.end

let store = TodoStore()
try await printStatuses(makeRouter(makeDispatcher(store), tokens: tokens))

// MARK: Tokens that expire

// snippet.pair
struct TokenPair: Codable, Sendable {
    let access: String
    let refresh: String
}

// POST login   {"name": …, "password": …}
struct LogIn: HTTPQuery {
    typealias Value = TokenPair
    static let route: QueryRoute<Self> = .post("login")

    let name: String
    let password: String
}

// POST logout   {"token": …}
struct LogOut: HTTPCommand {
    static let route: CommandRoute<Self> = .post("logout")

    let token: String
}

struct WrongPassword: HTTPProblem {
    static let problemType = "https://example.com/problems/wrong-password"
    var status: HTTPResponse.Status { .unauthorized }
}

extension MessageAPI {
    static let logins = MessageAPI("logins", throwing: WrongPassword.self, authorized: .open) {
        LogIn.self
        LogOut.self
    }
}
// snippet.end

// snippet.sessions
/// The tokens that the server has issued, by their hashes.
actor Sessions {
    private var accessTokens: [TokenHash: Principal] = [:]
    private var refreshTokens: [TokenHash: Principal] = [:]

    /// Returns the principal of an access token, or nil if the token is unknown or expired.
    func principal(of token: TokenHash) -> Principal? { accessTokens[token] }

    func issueTokens(for principal: Principal) -> TokenPair {
        let pair = TokenPair(access: randomToken(), refresh: randomToken())
        accessTokens[TokenHash(of: pair.access)] = principal
        refreshTokens[TokenHash(of: pair.refresh)] = principal
        return pair
    }

    /// Issues new tokens once for each refresh token.
    func refresh(_ token: String) -> TokenPair? {
        refreshTokens.removeValue(forKey: TokenHash(of: token)).map { issueTokens(for: $0) }
    }

    func expireAccessTokens() { accessTokens = [:] }

    func revoke(_ token: String) { refreshTokens[TokenHash(of: token)] = nil }

    private func randomToken() -> String {
        (0..<4).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }.joined()
    }
}

struct LogInHandler: QueryHandler {
    let sessions: Sessions

    func handle(_ query: LogIn) async throws -> TokenPair {
        guard let principal = principal(named: query.name, password: query.password) else { throw WrongPassword() }
        return await sessions.issueTokens(for: principal)
    }
}

struct LogOutHandler: CommandHandler {
    let sessions: Sessions

    func handle(_ command: LogOut) async throws { await sessions.revoke(command.token) }
}

extension TokenPair: ResponseEncodable {}

func makeRouter(_ dispatcher: any Dispatcher, _ sessions: Sessions) throws -> Router<BasicRequestContext> {
    let tokens = StaticTokenAuthenticator { hash in await sessions.principal(of: hash) }
    let router = try makeRouter(dispatcher, tokens: tokens)
    let logins = try StandardDispatcher {
        LogInHandler(sessions: sessions)
        LogOutHandler(sessions: sessions)
    }
    try router.mount(.logins, logins)
    router.post("refresh") { request, context in
        let form = try await request.decode(as: [String: String].self, context: context)
        guard let pair = await sessions.refresh(form["token"] ?? "") else { throw HTTPError(.unauthorized) }
        return pair
    }
    return router
}
// snippet.end

/// A real server compares a slow hash of the password, such as Argon2, with a stored one.
func principal(named name: String, password: String) -> Principal? {
    name == "ada" && password == "correct horse" ? Principal(id: "ada") : nil
}

// snippet.login
struct Account: Sendable {
    let server: URL
    /// A client without these tokens, and with its own deadline.
    let client: any HTTPClient
    let logins: HTTPDispatcher

    init(at server: URL, client: any HTTPClient) throws {
        (self.server, self.client) = (server, client)
        logins = try HTTPDispatcher(.logins, baseURL: BaseURL(server), client: client)
    }
}

func makeBot(_ account: Account, client: any HTTPClient) throws -> HTTPDispatcher {
    let tokens = LoginTokenSource {
        try await account.logins.dispatch(LogIn(name: "ada", password: "correct horse")).access
    }
    return HTTPDispatcher(baseURL: try BaseURL(account.server), client: client.authenticated(by: tokens))
}
// snippet.end

// snippet.session
extension Account {
    /// Returns new tokens for a refresh token, or nil if the server rejects it.
    @concurrent
    func refresh(_ token: String) async throws -> TokenPair? {
        let url = server.appending(path: "refresh")
        let request = HTTPRequest(method: .post, url: url, headerFields: [.contentType: "application/json"])
        let (response, body) = try await client.data(for: request, body: JSONEncoder().encode(["token": token]))
        if response.status == .unauthorized { return nil }
        guard response.status == .ok else { throw RefreshFailed(status: response.status) }
        return try JSONDecoder().decode(TokenPair.self, from: body)
    }
}

struct RefreshFailed: Error {
    let status: HTTPResponse.Status
}

actor Session: TokenSource {
    private let account: Account
    private var pair: TokenPair?

    init(_ account: Account, stored pair: TokenPair? = nil) {
        (self.account, self.pair) = (account, pair)
    }

    func signIn(name: String, password: String) async throws {
        pair = try await account.logins.dispatch(LogIn(name: name, password: password))
    }

    func signOut() async {
        guard let pair else { return }
        self.pair = nil
        // Without a connection, the refresh token stays valid until it expires.
        try? await account.logins.dispatch(LogOut(token: pair.refresh))
    }

    // MARK: TokenSource

    func current() async throws -> String? { pair?.access }

    func refresh(replacing rejected: String?) async throws -> String? {
        guard let old = pair else { return nil }
        let new = try await account.refresh(old.refresh)
        // The user may have signed out, or signed in again, in the meantime.
        guard pair?.refresh == old.refresh else { return pair?.access }
        pair = new
        return new?.access
    }
}
// snippet.end

// snippet.app
struct App {
    let session: Session
    let cache: CachingHTTPClient
    let api: HTTPDispatcher

    init(_ network: any HTTPClient, server: URL) throws {
        session = Session(try Account(at: server, client: network.deadline(.seconds(10))))
        cache = network.caching()
        let client = cache.authenticated(by: session).retrying().deadline(.seconds(30))
        api = HTTPDispatcher(baseURL: try BaseURL(server), client: client)
    }

    func signOut() async throws {
        await session.signOut()
        try await cache.removeAll()
    }
}
// snippet.end

// snippet.run
func use(_ app: App, _ sessions: Sessions) async throws {
    try await app.session.signIn(name: "ada", password: "correct horse")
    try await app.api.dispatch(AddTodo(id: 2, text: "Buy tea"))

    await sessions.expireAccessTokens()
    print(try await app.api.dispatch(ListTodos(user: "ada")).map(\.text))

    try await app.signOut()
    try await printStatus("list, signed out:") { _ = try await app.api.dispatch(ListTodos(user: "ada")) }
}
// snippet.end

guard let server = URL(string: "http://localhost") else { fatalError("It is a URL.") }
let sessions = Sessions()
let network = RouterHTTPClient(try makeRouter(makeDispatcher(TodoStore()), sessions))
try await use(App(network, server: server), sessions)
let bot = try makeBot(Account(at: server, client: network), client: network)
print(try await bot.dispatch(LoadStatus()))

// MARK: JSON Web Tokens

// snippet.jwt
/// - Parameter keys: The JSON Web Key Set that the issuer publishes.
func makeTokens(keys: String) async throws -> JWTAuthenticator {
    try JWTAuthenticator(
        keys: await JWTKeyCollection().add(signingKeys: keys),
        algorithm: .es256,
        issuer: "https://login.example.org",
        audience: "todos",
        now: { Date() }
    )
}
// snippet.end

/// The public key of RFC 7517, appendix A.1.
let keySet = """
    {"keys": [{"kty": "EC", "crv": "P-256", "kid": "1",
               "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
               "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
    """
_ = try await makeTokens(keys: keySet)

// snippet.sign
struct Claims: JWTPayload {
    var iss = "https://login.example.org"
    var aud = "todos"
    var sub = "ada"
    var exp = Date().timeIntervalSince1970 + 300
    var scope = "admin"

    func verify(using algorithm: some JWTAlgorithm) {}
}

func makeTestToken() async throws -> (token: String, authenticator: JWTAuthenticator) {
    let keys = await JWTKeyCollection().add(ecdsa: ES256PrivateKey(), kid: "test")
    let authenticator = try JWTAuthenticator(
        keys: keys,
        issuer: "https://login.example.org",
        audience: "todos",
        now: { Date() }
    )
    return (try await keys.sign(Claims(), kid: "test"), authenticator)
}
// snippet.end

let (token, authenticator) = try await makeTestToken()
let jwtRouter = try makeRouter(makeDispatcher(store), tokens: authenticator)
let admin = HTTPDispatcher(
    baseURL: try BaseURL(server),
    client: RouterHTTPClient(jwtRouter).authenticated(by: .bearer(token))
)
try await printStatus("remove, JSON Web Token:") { try await admin.dispatch(RemoveUser(user: "ada")) }

// snippet.test
@Test func `a todo belongs to the user who adds it`() async throws {
    let store = TodoStore()
    try await withPrincipal(Principal(id: "ada")) {
        try await AddTodoHandler(store: store).handle(AddTodo(id: 1, text: "Buy milk"))
    }
    #expect(await store.todos(of: "ada").count == 1)
}
// snippet.end
// Runs the tests above. An expectation that fails outside of a test run is not noticed.
var testArguments = __CommandLineArguments_v0()
testArguments.quiet = true
let status: CInt = await Testing.__swiftPMEntryPoint(passing: testArguments)
precondition(status == 0)
