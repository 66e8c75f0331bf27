import Duet
import DuetCaching
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport

struct LoadTopics: HTTPQuery, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("rooms/{room}/topics").live()

    let room: String
}

struct AddTopic: HTTPCommand {
    static let route: CommandRoute<Self> = .post("rooms/{room}/topics")

    let room: String
    let topic: String
}

struct LoadSecrets: HTTPQuery, Hashable {
    typealias Value = Int?
    static let route: QueryRoute<Self> = .get("secrets").live()
}

/// Topics behind a cache, mounted on a router.
struct LiveWorld {
    let topics = TopicStore()
    let clock = ManualClock()
    let dispatcher: CachingDispatcher
    let router: Router<BasicRequestContext>
    let client: RouterHTTPClient<RouterResponder<BasicRequestContext>>

    init(_ live: LiveOptions = LiveOptions()) throws {
        let topics = topics
        dispatcher = try StandardDispatcher {
            LoadTopicsHandler(topics: topics)
            AddTopicHandler(topics: topics)
            LoadSecretsHandler()
        }
        .caching(in: .memory(limit: .entries(100))) {
            Cache(LoadTopics.self, .untilInvalidated)
            Cache(LoadSecrets.self, .untilInvalidated)
            Invalidate(LoadTopics.self, after: AddTopic.self) { $0.room == $1.room }
        }
        router = Router()
        let api = MessageAPI.open {
            LoadTopics.self
            AddTopic.self
            LoadSecrets.authorized(.principal)
        }
        let tokens = StaticTokenAuthenticator([TokenHash(of: "secret"): Principal(id: "ada")])
        try router.mount(api, dispatcher, authenticator: tokens, options: MountOptions(live: live, clock: clock))
        client = RouterHTTPClient(router)
    }

    /// A client of the same server with its own cache, which knows no rule about the commands of others.
    func remote(
        through client: any HTTPClient,
        clock: any Clock<Duration> = ContinuousClock(),
        maxAge: Duration = .minutes(5)
    ) throws -> CachingDispatcher {
        try HTTPDispatcher(baseURL: BaseURL("http://localhost:8090"), client: client, clock: clock)
            .caching(in: .memory(limit: .entries(100))) { Cache(LoadTopics.self, .maxAge(maxAge)) }
    }

    func open(
        _ path: String = "/rooms/a/topics",
        _ fields: HTTPFields = [:],
        through client: (any HTTPClient)? = nil
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
        request.headerFields = fields
        request.headerFields[.accept] = request.headerFields[.accept] ?? "text/event-stream"
        return try await (client ?? self.client).send(request)
    }
}

final class TopicStore: Sendable {
    private let topics = Mutex<[String: [String]]>(["a": ["Swift"]])

    func list(_ room: String) -> [String] { topics.withLock { $0[room] ?? [] } }

    func add(_ topic: String, to room: String) { topics.withLock { $0[room, default: []].append(topic) } }
}

private struct LoadTopicsHandler: QueryHandler {
    let topics: TopicStore
    func handle(_ query: LoadTopics) async throws -> [String] { topics.list(query.room) }
}

private struct AddTopicHandler: CommandHandler {
    let topics: TopicStore
    func handle(_ command: AddTopic) async throws { topics.add(command.topic, to: command.room) }
}

private struct LoadSecretsHandler: QueryHandler {
    func handle(_ query: LoadSecrets) async throws -> Int? { nil }
}

/// Reads a stream of events line by line.
struct EventLines {
    private var pieces: HTTPBody.AsyncIterator
    private var text = ""

    init(_ body: HTTPBody) {
        pieces = body.makeAsyncIterator()
    }

    /// The next line that is neither empty nor a version, or nil at the end.
    mutating func next() async throws -> String? {
        while let line = try await nextOfAll() {
            if !line.hasPrefix("version: ") { return line }
        }
        return nil
    }

    /// The next line that is not empty, or nil at the end.
    mutating func nextOfAll() async throws -> String? {
        while true {
            if let end = text.firstIndex(of: "\n") {
                let line = String(text[..<end])
                text = String(text[text.index(after: end)...])
                if !line.isEmpty { return line }
                continue
            }
            guard let piece = try await pieces.next() else { return nil }
            text += String(decoding: piece, as: UTF8.self)
        }
    }
}
