//! One list of messages in four places: in this process, over HTTP, from a cache, and on a cluster.

// snippet.messages
import Duet
import DuetCaching
import DuetCluster
import DuetHTTP
import DuetHummingbird
import DuetSQLite
import DuetTesting
import GRDB
import Hummingbird

struct Talk: Codable, Equatable, Sendable {
    let id: String
    var stars: Int
}

// GET talks/{id}
struct LoadTalk: HTTPQuery, Hashable {
    typealias Value = Talk
    static let route: QueryRoute<Self> = .get("talks/{id}")
    let id: String
}

// POST talks/{id}/ratings with {"stars": 5}
struct RateTalk: HTTPCommand {
    static let route: CommandRoute<Self> = .post("talks/{id}/ratings")
    let id: String
    let stars: Int
}

/// The one list: who may send a message, and which commands keep their order.
let talks = MessageAPI("talks") {
    LoadTalk.authorized(.open)
    RateTalk.authorized(.principal).ordered(by: \.id)
}

/// Your feature does not know where its messages are handled.
func rate(_ id: String, with dispatcher: any Dispatcher) async throws -> Talk {
    try await dispatcher.dispatch(RateTalk(id: id, stars: 5))
    return try await dispatcher.dispatch(LoadTalk(id: id))
}
// snippet.end

struct LoadTalkHandler: QueryHandler {
    let database: TrackedDatabase

    func handle(_ query: LoadTalk) async throws -> Talk {
        try await database.read { db in
            let stars = try Int.fetchOne(db, sql: "SELECT stars FROM talk WHERE id = ?", arguments: [query.id])
            return Talk(id: query.id, stars: stars ?? 0)
        }
    }
}

struct RateTalkHandler: CommandHandler {
    let database: TrackedDatabase

    func handle(_ command: RateTalk) async throws {
        try await database.write { db in
            try db.execute(sql: "UPDATE talk SET stars = ? WHERE id = ?", arguments: [command.stars, command.id])
        }
    }
}

let pool = try DatabaseQueue()
try pool.write { db in
    try db.execute(sql: "CREATE TABLE talk (id TEXT PRIMARY KEY, stars INTEGER); INSERT INTO talk VALUES ('swift', 0)")
}

let ada = Principal(id: "ada")
let token = "a-long-secret"
let tokens = StaticTokenAuthenticator([TokenHash(of: token): ada])

// snippet.places
let database = try TrackedDatabase(pool)
let handlers = try StandardDispatcher {
    LoadTalkHandler(database: database)
    RateTalkHandler(database: database)
}

// 1. In this process
let local = handlers.authorizing(talks)

// 2. Over HTTP: a server, and its client
let router = Router()
try router.mount(talks, handlers, authenticator: tokens)
let client = RouterHTTPClient(router).authenticated(by: .bearer(token)).retrying()  // Or NIOHTTPClient()
let remote = try HTTPDispatcher(talks, baseURL: BaseURL("https://api.example.com"), client: client)

// 3. From a cache, which knows what handlers read and write
let cached = try handlers.caching(in: .memory(limit: .entries(1_000)), tracking: database) {
    Cache(LoadTalk.self)
}
.authorizing(talks)

// 4. On a cluster: a worker, and another node
let cluster = InProcessCluster()  // On several machines: NATSCluster.connect(to: servers, name: "talks")
let worker = try ClusterWorker(talks, handlers, on: cluster)
let node = try ClusterDispatcher(talks, on: cluster)
// snippet.end

let spy = SpyDispatcher()
spy.stub(LoadTalk.self) { query in Talk(id: query.id, stars: 5) }
spy.stub(RateTalk.self)

let work = Task { try await worker.run() }
try await withPrincipal(ada) {
    for place in [local, remote, cached, node, spy] as [any Dispatcher] {
        print(try await rate("swift", with: place))
    }
}
work.cancel()
try await work.value
