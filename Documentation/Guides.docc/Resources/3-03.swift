import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Hummingbird

struct Talk: Codable, Sendable {
    let id: String
    var stars = 0
}

struct LoadTalk: HTTPQuery {
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

let client = MockHTTPClient()
client.expect(.post, "/v1/talks/swift/ratings", status: .created)
client.expect(.get, "/v1/talks/swift", json: #"{"id": "swift", "stars": 5}"#)

let remote = try HTTPDispatcher(baseURL: BaseURL("https://api.example.com/v1"), client: client)
print(try await rate("swift", with: remote))

print(client.requestLines)
