//! One message in four places: in this process, on a server, behind a client with a cache, and in a test.

// snippet.messages
import Duet
import DuetCaching
import DuetHTTP
import DuetHummingbird
import DuetTesting
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
    static let route: CommandRoute<Self> = .post("talks/{id}/ratings").authorized(.open)
    let id: String
    let stars: Int
}

/// Your feature does not know where its messages are handled.
func rate(_ id: String, with talks: any Dispatcher) async throws -> Talk {
    try await talks.dispatch(RateTalk(id: id, stars: 5))
    return try await talks.dispatch(LoadTalk(id: id))
}
// snippet.end

actor Talks {
    private var stars: [String: Int] = [:]
    func rate(_ id: String, _ rating: Int) { stars[id] = rating }
    func talk(_ id: String) -> Talk { Talk(id: id, stars: stars[id] ?? 0) }
}

struct LoadTalkHandler: QueryHandler {
    let talks: Talks
    func handle(_ query: LoadTalk) async throws -> Talk { await talks.talk(query.id) }
}

struct RateTalkHandler: CommandHandler {
    let talks: Talks
    func handle(_ command: RateTalk) async throws { await talks.rate(command.id, command.stars) }
}

let talks = Talks()
// snippet.places
// 1. In this process
let local = try StandardDispatcher {
    LoadTalkHandler(talks: talks)
    RateTalkHandler(talks: talks)
}

// 2. On a server
let router = Router()
try router.mount(
    local,
    HTTPAPI {
        LoadTalk.self
        RateTalk.self
    }
)

// 3. From a client, with a cache that knows which command makes which query stale
let network = RouterHTTPClient(router)  // Over the network: NIOHTTPClient() or URLSessionHTTPClient()
let remote = try HTTPDispatcher(baseURL: BaseURL("https://api.example.com"), client: network.retrying())
    .caching(in: .memory(limit: .entries(1_000))) {
        Cache(LoadTalk.self, .maxAge(.minutes(5)))
        Invalidate(LoadTalk.self, after: RateTalk.self) { query, command in query.id == command.id }
    }

// 4. In a test
let spy = SpyDispatcher()
spy.stub(LoadTalk.self) { query in Talk(id: query.id, stars: 5) }
spy.stub(RateTalk.self)

for place in [local, remote, spy] as [any Dispatcher] { print(try await rate("swift", with: place)) }
// snippet.end
