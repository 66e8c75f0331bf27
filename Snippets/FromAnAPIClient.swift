//! A hand-written client with enums for its requests, the same API as messages, and both side by side.

import Duet
import DuetHTTP
import DuetTesting
import DuetURLSession
import Foundation
import HTTPTypes

// snippet.hide
struct Project: Codable, Equatable, Sendable {
    let id: String
    let title: String
}

struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
}

typealias Transport = @Sendable (_ method: String, _ path: String, _ parameters: [String: String]) async throws -> Data

enum Before {
    // snippet.show
    // snippet.beforeEnums
    enum Query {
        case project(id: String)
        case speakers(name: String?, page: String?)

        var path: String {
            switch self {
            case .project(let id): "projects/\(id)"
            case .speakers: "speakers"
            }
        }

        var parameters: [String: String] {
            switch self {
            case .project: [:]
            case .speakers(let name, let page): ["name": name, "page": page].compactMapValues(\.self)
            }
        }
    }

    enum Command {
        case approveProject(id: String)
        case renameProject(id: String, title: String)

        var path: String {
            switch self {
            case .approveProject: "approve_project"
            case .renameProject(let id, _): "projects/\(id)"
            }
        }

        var method: String {
            switch self {
            case .approveProject: "POST"
            case .renameProject: "PATCH"
            }
        }

        var body: [String: String] {
            switch self {
            case .approveProject(let id): ["id": id]
            case .renameProject(_, let title): ["title": title]
            }
        }
    }
    // snippet.end
    // snippet.hide
}

// snippet.show
// snippet.beforeClient
final class ApiClient: Sendable {
    // snippet.hide
    let send: Transport

    init(send: @escaping Transport) { self.send = send }

    // snippet.show
    func execute<Value: Decodable & Sendable>(
        _ query: Before.Query,
        success: @escaping @Sendable (Value) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) {
        Task {
            do {
                let data = try await send("GET", query.path, query.parameters)
                success(try JSONDecoder().decode(Value.self, from: data))
            } catch {
                failure(error)
            }
        }
    }
    // snippet.hide

    func execute(
        _ command: Before.Command,
        success: @escaping @Sendable () -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) {
        Task {
            do {
                _ = try await send(command.method, command.path, command.body)
                success()
            } catch {
                failure(error)
            }
        }
    }
    // snippet.show
}
// snippet.end

// snippet.queries
// GET projects/{id}
struct LoadProject: IDQuery {
    typealias Value = Project
    static let route: QueryRoute<Self> = .get("projects/{id}")

    let id: String
}

// GET speakers?name=…&attended=…&order=…&query=…&page=…
struct LoadSpeakers: Filterable, Orderable, Searchable, Pageable {
    typealias Value = [Speaker]
    static let route: QueryRoute<Self> = .get("speakers").parameterNames(["searchText": "query"])

    struct Filter: Codable, Sendable {
        var name: String?
        var attended: Int?
    }

    enum Order: String, Codable, Sendable {
        case name
        case newest = "-created"
    }

    var filter: Filter?
    var order = Order.name
    var searchText: String?
    var page: String?
}
// snippet.end

// snippet.commands
// POST approve_project   {"id": …}
struct ApproveProject: IDCommand {
    static let route: CommandRoute<Self> = .post("approve_project")

    let id: String
}

// PATCH projects/{id}   {"title": …}
struct RenameProject: IDCommand {
    static let route: CommandRoute<Self> = .patch("projects/{id}")

    let id: String
    let title: String
}

// POST add_speaker   {"id": …, "name": …}
struct AddSpeaker: BodyCommand {
    static let route: CommandRoute<Self> = .post("add_speaker")

    let body: Speaker
}
// snippet.end

// snippet.namespace
enum Videos {
    // POST like_video   {"id": …}
    struct Like: IDCommand {
        static let route: CommandRoute<Self> = .post("like_video")

        let id: String
    }
}
// snippet.end

// snippet.facade
/// The callbacks of the old client for messages that have moved.
struct MovedApiClient: Sendable {
    let dispatcher: any Dispatcher

    @discardableResult
    func execute<Q: HTTPQuery>(
        _ query: Q,
        success: @escaping @MainActor (Q.Value) -> Void,
        failure: @escaping @MainActor (any Error) -> Void
    ) -> Task<Void, Never> where Q.Value: Sendable {
        Task { @MainActor in
            do { success(try await dispatcher.dispatch(query)) } catch { failure(error) }
        }
    }

    @discardableResult
    func execute<C: HTTPCommand>(
        _ command: C,
        success: @escaping @MainActor () -> Void,
        failure: @escaping @MainActor (any Error) -> Void
    ) -> Task<Void, Never> {
        Task { @MainActor in
            do {
                try await dispatcher.dispatch(command)
                success()
            } catch { failure(error) }
        }
    }
}
// snippet.end

// snippet.legacy
/// A message whose request the old client still sends.
struct LoadProjectTitle: Query {
    typealias Value = String

    let id: String
}

struct LoadProjectTitleHandler: QueryHandler {
    let client: ApiClient

    func handle(_ query: LoadProjectTitle) async throws -> String {
        let project: Project = try await withCheckedThrowingContinuation { continuation in
            client.execute(
                .project(id: query.id),
                success: { continuation.resume(returning: $0) },
                failure: { continuation.resume(throwing: $0) }
            )
        }
        return project.title
    }
}

/// Sends the messages that have moved over HTTP, and takes all others to the handlers of this process.
struct MovingDispatcher: Dispatcher {
    let moved: HTTPDispatcher
    let others: any Dispatcher

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        if M.self is any HTTPMessage.Type { return try await moved.dispatch(message) }
        return try await others.dispatch(message)
    }
}
// snippet.end

// snippet.hide
let network = MockHTTPClient()
network.expect(.get, "/v1/projects/7", json: #"{"id": "7", "title": "Duet"}"#)
network.expect(.post, "/v1/approve_project", status: .noContent)
network.expect(
    .get,
    "/v1/speakers?name=Sebastian&attended=13&order=name&page=start",
    json: #"[{"id": "1", "name": "Sebastian"}]"#
)
network.expect(.post, "/v1/like_video", status: .noContent)
network.expect(.post, "/v1/add_speaker", status: .created)
network.expect(.patch, "/v1/projects/7", status: .noContent)
network.expect(.get, "/v1/projects/7", json: #"{"id": "7", "title": "Duet"}"#)
let apiClient = ApiClient { _, _, _ in Data(#"{"id": "7", "title": "Old client"}"#.utf8) }

// snippet.show
// snippet.client
func makeAPI() throws -> HTTPDispatcher {
    HTTPDispatcher(baseURL: try BaseURL("https://api.example.com/v1"), client: URLSessionHTTPClient())
}
// snippet.end

let server = try BaseURL("https://api.example.com/v1")
let api = HTTPDispatcher(baseURL: server, client: network)

// snippet.first
let project = try await api.dispatch(LoadProject(id: "7"))
try await api.dispatch(ApproveProject(id: "7"))

let filter = LoadSpeakers.Filter(name: "Sebastian", attended: 13)
let speakers = try await api.dispatch(LoadSpeakers(filter: filter, page: "start"))
// snippet.end
try await api.dispatch(Videos.Like(id: "intro"))
try await api.dispatch(AddSpeaker(body: Speaker(id: "2", name: "Anna")))
try await api.dispatch(RenameProject(id: "7", title: "Duet"))
print(project.title, speakers.map(\.name), Videos.Like.messageName)

// snippet.both
let dispatcher = MovingDispatcher(
    moved: api,
    others: try StandardDispatcher { LoadProjectTitleHandler(client: apiClient) }
)
print(try await dispatcher.dispatch(LoadProjectTitle(id: "7")))
// snippet.end

let client = MovedApiClient(dispatcher: api)
await client.execute(
    LoadProject(id: "7"),
    success: { print("The callback has \($0.title).") },
    failure: { print($0) }
).value

for line in network.requestLines { print(line) }
precondition(network.missing == [])
print(network.received.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) })

// snippet.api
let projects = MessageAPI("projects", authorized: .principal) {
    LoadProject.self
    LoadSpeakers.self
    ApproveProject.self
    RenameProject.self
    AddSpeaker.self
    Videos.Like.self
}
_ = try HTTPDispatcher(projects, baseURL: server, client: network)
// snippet.end

// snippet.forgotten
struct LoadTracks: Pageable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("tracks")

    private enum CodingKeys: String, CodingKey {
        case album
    }

    let album: String
    var page: Int?
}
// snippet.end

do {
    let tracks = MessageAPI("tracks", authorized: .open) { LoadTracks.self }
    _ = try HTTPDispatcher(tracks, baseURL: server, client: network)
} catch {
    print(error)
}
