import Duet
import DuetCaching
import DuetHTTP
import DuetHummingbird
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport

struct LoadTitle: HTTPQuery, Hashable, Codable {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("talks/{id}/title").throwing(NoTalk.self)
        .responseHeaders([.cacheControl: "max-age=3600"])
    let id: Int
}

struct LoadSeats: HTTPQuery, Hashable, Codable {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("rooms/{id}/seats")
    let id: Int
}

struct FindTalks: HTTPQuery, Hashable, Codable {
    typealias Value = String
    static let route: QueryRoute<Self> = .post("searches")
    let title: String
}

struct Rename: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .put("talks/{id}/title").throwing(NoTalk.self)
    let id: Int
    let title: String
}

/// The same with an answer.
struct Retitle: HTTPCommand, AnsweredCommand, Codable {
    static let route: CommandRoute<Self> = .post("talks/{id}/titles")
    let id: Int
    let title: String
    func answer(from content: String?) -> LoadTitle? { LoadTitle(id: id) }
}

struct SetSeats: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .put("rooms/{id}/seats")
    let id: Int
    let seats: Int
}

/// A command that writes nothing.
struct Greet: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .post("greetings")
}

struct NoTalk: HTTPProblem, Equatable {
    static let problemType = "tag:talks.example,2026:no-talk"
    var status: HTTPResponse.Status { .notFound }
}

/// A server whose handlers read and write a tracked database, without a cache, and clients that have no rules.
struct TrackedService {
    private static let count = Atomic(0)

    let world: TrackedWorld
    let baseURL: BaseURL
    let network: any HTTPClient
    let clock = ManualClock()
    let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    var handlers: SpyDispatcher { world.handlers }

    /// - Parameter serving: Makes the dispatcher that is mounted.
    init(
        groupKey: String? = nil,
        serving dispatcher: (TrackedWorld) throws -> any Dispatcher = { $0.handlers }
    ) throws {
        let world = try TrackedWorld()
        self.world = world
        // Clients of one origin have one source, and tests run at the same time.
        baseURL = try BaseURL("http://talks\(Self.count.add(1, ordering: .relaxed).newValue).example")
        Self.stub(world.handlers, world.database)
        network = try Self.network(dispatcher(world), groupKey: groupKey)
    }

    static let api = MessageAPI.open {
        LoadTitle.self
        LoadSeats.self
        FindTalks.self
        Rename.self
        Retitle.self
        SetSeats.self
        Greet.self
    }

    static func network(_ dispatcher: any Dispatcher, groupKey: String? = nil) throws -> any HTTPClient {
        let router = Router()
        try router.mount(api, dispatcher, options: MountOptions(groupKey: groupKey))
        return RouterHTTPClient(router)
    }

    private static func stub(_ handlers: SpyDispatcher, _ database: TrackedDatabase) {
        handlers.stub(LoadTitle.self) { query in
            let title = try await database.read { db in
                try String.fetchOne(db, sql: "SELECT title FROM talk WHERE id = ?", arguments: [query.id])
            }
            guard let title else { throw NoTalk() }
            return title
        }
        handlers.stub(LoadSeats.self) { query in
            try await database.read { db in
                try Int.fetchOne(db, sql: "SELECT seats FROM room WHERE id = ?", arguments: [query.id]) ?? 0
            }
        }
        handlers.stub(FindTalks.self) { query in
            try await database.read { db in
                try TrackedWorld.rows("SELECT id FROM talk WHERE title = '\(query.title)'", in: db)
            }
        }
        @Sendable func rename(_ id: Int, _ title: String) async throws {
            try await database.write { db in
                try db.execute(sql: "UPDATE talk SET title = ? WHERE id = ?", arguments: [title, id])
            }
        }
        handlers.stub(Rename.self) { try await rename($0.id, $0.title) }
        handlers.stub(Retitle.self) { try await rename($0.id, $0.title) }
        handlers.stub(SetSeats.self) { command in
            try await database.write { db in
                try db.execute(
                    sql: "UPDATE room SET seats = ? WHERE id = ?",
                    arguments: [command.seats, command.id]
                )
            }
        }
        handlers.stub(Greet.self) { _ in }
    }

    func remote(through client: (any HTTPClient)? = nil) throws -> HTTPDispatcher {
        try HTTPDispatcher(Self.api, baseURL: baseURL, client: client ?? network, clock: clock)
    }

    /// A client with a cache.
    func client(
        through client: (any HTTPClient)? = nil,
        _ policy: CachePolicy<String>? = nil,
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule] = { [] }
    ) throws -> CachingDispatcher {
        let rules = rules()
        return try remote(through: client).caching(in: .memory(limit: .entries(100)), now: date.now, clock: clock) {
            Cache(LoadTitle.self, policy)
            Cache(LoadSeats.self)
            Cache(FindTalks.self)
            rules
        }
    }

    /// Sends a request without a dispatcher.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        _ body: String? = nil
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method: method, scheme: "http", authority: "talks.example", path: path)
        request.headerFields = fields
        if body != nil { request.headerFields[.contentType] = "application/json" }
        return try await network.send(request, body: body.map { HTTPBody(Data($0.utf8)) }).0
    }
}

/// A client whose responses a test changes.
struct AlteringClient: HTTPClient {
    let base: any HTTPClient
    let alter: @Sendable (HTTPRequest, HTTPResponse) throws -> HTTPResponse

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let (response, body) = try await base.send(request, body: body)
        return (try alter(request, response), body)
    }
}

extension HTTPResponse {
    /// The members of a list of strings.
    func strings(_ name: String) -> [String]? {
        HTTPField.Name(name).flatMap { headerFields[$0] }.map { field in
            field.split(separator: ",").map { $0.filter { !" \"".contains($0) } }
        }
    }

    var groups: [String]? { strings("Cache-Groups") }
    var invalidated: [String]? { strings("Cache-Group-Invalidation") }
}
