import Duet
import DuetCaching
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Hummingbird

struct Talk: Codable, Sendable {
    let id: String
    var stars = 0
}

struct LoadTalk: HTTPQuery, Hashable {
    typealias Value = Talk
    static let route: QueryRoute<Self> = .get("talks/{id}")

    let id: String
}

struct RateTalk: HTTPCommand {
    static let route: CommandRoute<Self> = .post("talks/{id}/ratings")

    let id: String
    let stars: Int
}

let talksAPI = MessageAPI("talks") {
    LoadTalk.authorized(.open)
    RateTalk.authorized(.open)
}

actor Talks {
    private var stars: [String: Int] = [:]

    func talk(_ id: String) -> Talk { Talk(id: id, stars: stars[id] ?? 0) }

    func rate(_ id: String, _ stars: Int) { self.stars[id] = stars }
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
let local = try StandardDispatcher {
    LoadTalkHandler(talks: talks)
    RateTalkHandler(talks: talks)
}

/// Your feature does not know where its messages are handled.
func rate(_ id: String, with talks: any Dispatcher) async throws -> Talk {
    try await talks.dispatch(RateTalk(id: id, stars: 5))
    return try await talks.dispatch(LoadTalk(id: id))
}

print(try await rate("swift", with: local))

let router = Router()
try router.mount(talksAPI, local, at: "/v1")
let client = RouterHTTPClient(router).logging { print("Network:", $0) }

let remote = try HTTPDispatcher(talksAPI, baseURL: BaseURL("https://api.example.com/v1"), client: client)
    .caching(in: .memory(limit: .entries(1_000))) {
        Cache(LoadTalk.self, .maxAge(.minutes(5)))
        Invalidate(LoadTalk.self, after: RateTalk.self) { query, command in query.id == command.id }
    }
print(try await rate("swift", with: remote))
print(try await remote.dispatch(LoadTalk(id: "swift")))

for try await talk in remote.observe(LoadTalk(id: "swift")).values {
    print("Screen:", talk.stars)
    if talk.stars == 3 { break }
    try await remote.dispatch(RateTalk(id: "swift", stars: 3))
}

if CommandLine.arguments.contains("serve") {
    print("Open http://127.0.0.1:8080/v1/talks/swift")
    let server = Application(
        router: router,
        limits: ServerLimits(connections: 1_000),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
    )
    try await server.runService()
}
