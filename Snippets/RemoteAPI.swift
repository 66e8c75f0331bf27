//! PocketBase's REST API as typed messages. Given an address, an e-mail address and a password it talks to that PocketBase;
//! without, to a router in this process that mounts the same messages.

// snippet.imports
import Duet  // Message, Command, Query, handlers, dispatchers, Middleware, Validatable
import DuetAsyncHTTPClient  // NIOHTTPClient
import DuetContext  // Principal, deadlines
import DuetHTTP  // HTTPQuery, HTTPCommand, HTTPDispatcher, HTTPClient and its decorators
import DuetHummingbird  // mount, StaticTokenAuthenticator
import DuetTesting  // MockHTTPClient, RouterHTTPClient, SpyDispatcher
import Foundation  // Data, URL
import HTTPTypes  // HTTPRequest, HTTPResponse, HTTPFields
import Hummingbird  // Router, Application

// snippet.end

// snippet.model
struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
    let talks: Int
    let photo: String
}

// GET api/collections/speakers/records/{id}
struct LoadSpeaker: IDQuery {
    typealias Value = Speaker
    static let route: QueryRoute<Self> = .get("api/collections/speakers/records/{id}")

    let id: String
}
// snippet.end

// snippet.first
func printSpeaker() async throws {
    try await withNIOHTTPClient { client in
        let api = HTTPDispatcher(baseURL: try BaseURL("http://127.0.0.1:8090"), client: client)
        let speaker = try await api.dispatch(LoadSpeaker(id: "speaker00000013"))
        print(speaker.name, speaker.talks)
    }
}
// snippet.end

// snippet.foreign
// GET api/collections/speakers/records, of whose answer only the number is read
struct CountSpeakers: ThirdPartyQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("api/collections/speakers/records")

    /// What the answer looks like; it does not leave this query.
    struct Payload: Codable, Sendable {
        let totalItems: Int
    }

    static func value(from payload: Payload, answering query: Self) -> Int { payload.totalItems }
}
// snippet.end

// snippet.list
// GET api/collections/speakers/records?filter=…&sort=…&page=…&perPage=…
struct LoadSpeakers: Filterable, Orderable, Pageable {
    typealias Value = [Speaker]
    static let route: QueryRoute<Self> = .get("api/collections/speakers/records")
        .parameterNames(["order": "sort"])
        .parameterDefaults(["sort": "name", "perPage": "30"])

    var filter: SpeakerFilter?
    var order = SpeakerOrder.name
    var page: Int?
    var perPage = 30

    struct Payload: Codable, Sendable {
        let items: [Speaker]
    }

    static func value(from payload: Payload, answering query: Self) -> [Speaker] { payload.items }
    static func payload(from value: [Speaker], answering query: Self) -> Payload { Payload(items: value) }
}

/// PocketBase's filter is one expression in a language of its own.
struct SpeakerFilter: RawRepresentable, Codable, Sendable {
    let rawValue: String

    static func talks(atLeast minimum: Int) -> Self { Self(rawValue: "talks >= \(minimum)") }
}

enum SpeakerOrder: String, Codable, Sendable {
    case name
    case mostTalks = "-talks"
}
// snippet.end

// snippet.commands
// POST api/collections/speakers/records   {"id": …, "name": …, "talks": …}
struct AddSpeaker: HTTPCommand {
    static let route: CommandRoute<Self> = .post("api/collections/speakers/records")

    let id: String
    let name: String
    let talks: Int
}

// DELETE api/collections/speakers/records/{id}
struct RemoveSpeaker: IDCommand {
    static let route: CommandRoute<Self> = .delete("api/collections/speakers/records/{id}")

    let id: String
}
// snippet.end

// snippet.bytes
// PATCH api/collections/speakers/records/{id}, with bytes in place of JSON.
struct SetPhoto: BodyCommand {
    static let route: CommandRoute<Self> = .patch("api/collections/speakers/records/{id}")

    let id: String
    let body: HTTPBytes  // most APIs would take HTTPBytes(png, mediaType: "image/png"); PocketBase takes a form
}

// GET api/files/speakers/{id}/{photo}, which answers with bytes.
struct LoadPhoto: IDQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("api/files/speakers/{id}/{photo}")

    let id: String
    let photo: String
}
// snippet.end

extension SetPhoto {
    init(id: String, png: Data) {
        let form = Self.formHead + png + Self.formTail
        self.init(id: id, body: HTTPBytes(form, mediaType: "multipart/form-data; boundary=photo"))
    }

    static let formHead = Data(
        "--photo\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.png\"\r\n\r\n".utf8
    )
    static let formTail = Data("\r\n--photo--\r\n".utf8)

    /// The photo in the form.
    var png: Data { body.data.dropFirst(Self.formHead.count).dropLast(Self.formTail.count) }
}

// snippet.errors
/// What PocketBase answers when it refuses something.
struct PocketBaseError: Error, Codable, Equatable {
    struct Fault: Codable, Equatable {
        let code: String
        let message: String
    }

    let status: Int
    let message: String
    let data: [String: Fault]
}

/// Throws PocketBase's own error in place of each failure that carries one.
struct PocketBaseErrors: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        do {
            return try await next.dispatch(message)
        } catch let failure as HTTPFailure {
            throw (try? failure.decode(PocketBaseError.self)) ?? failure
        }
    }
}
// snippet.end

// snippet.tokens
/// Logging in is a POST that answers, neither a command nor a query: it is sent by hand.
struct Login: Sendable {
    let url: URL
    let email: String
    let password: String

    @concurrent
    func token(with client: any HTTPClient) async throws -> String {
        struct Answer: Decodable {
            let token: String
        }
        struct LoginRefused: Error {
            let status: HTTPResponse.Status
        }

        let address = url.appending(path: "api/collections/_superusers/auth-with-password")
        let request = HTTPRequest(method: .post, url: address, headerFields: [.contentType: "application/json"])
        let body = try JSONEncoder().encode(["identity": email, "password": password])
        let (response, answer) = try await client.data(for: request, body: body)
        guard response.status == .ok else { throw LoginRefused(status: response.status) }
        return try JSONDecoder().decode(Answer.self, from: answer).token
    }
}
// snippet.end

// snippet.client
func decorate(_ client: any HTTPClient, login: Login) -> any HTTPClient {
    let tokens = LoginTokenSource { try await login.token(with: client) }
    return
        client
        .authenticated(by: tokens, refreshingOn: [401, 403])
        .retrying()
        .limiting(bodySize: 1_000_000)
        .deadline(.seconds(30))
        .logging { log("\($0)") }
}

func makeAPI(_ client: any HTTPClient, login: Login) throws -> any Dispatcher {
    let server = try BaseURL(login.url)
    let client = decorate(client, login: login)
    return HTTPDispatcher(baseURL: server, client: client, settings: settings).with(PocketBaseErrors())
}
// snippet.end

// snippet.problem
/// What a server of our own answers in place of PocketBase's error: its properties travel (RFC 9457).
struct SpeakerExists: HTTPProblem, Equatable {
    static let problemType = "https://example.com/problems/speaker-exists"
    let id: String
    var status: HTTPResponse.Status { .conflict }
}

/// What client and server must know alike.
let settings = HTTPSettings(problems: [SpeakerExists.self, NoSuchSpeaker.self])

struct AddSpeakerHandler: CommandHandler {
    let store: SpeakerStore

    func handle(_ command: AddSpeaker) async throws {
        guard await store.add(command) else { throw SpeakerExists(id: command.id) }
    }
}
// snippet.end

/// Speakers in memory.
actor SpeakerStore {
    private var speakers: [String: Speaker] = [:]
    private var photos: [String: Data] = [:]

    func add(_ new: AddSpeaker) -> Bool {
        guard speakers[new.id] == nil else { return false }
        speakers[new.id] = Speaker(id: new.id, name: new.name, talks: new.talks, photo: "")
        return true
    }

    func remove(_ id: String) throws {
        guard speakers.removeValue(forKey: id) != nil else { throw NoSuchSpeaker(id: id) }
    }

    func speaker(_ id: String) throws -> Speaker {
        guard let speaker = speakers[id] else { throw NoSuchSpeaker(id: id) }
        return speaker
    }

    func list(_ query: LoadSpeakers) -> [Speaker] {
        // It knows the one expression that this file has.
        let minimum = query.filter.flatMap { Int($0.rawValue.drop { !$0.isNumber }) } ?? 0
        let found = speakers.values.filter { $0.talks >= minimum }
        let sorted = found.sorted { query.order == .name ? $0.name < $1.name : $0.talks > $1.talks }
        // As PocketBase does, it takes the nearest page that there can be.
        let page = min(max(query.page ?? 1, 1), 1_000)
        let perPage = min(max(query.perPage, 1), 1_000)
        return Array(sorted.dropFirst((page - 1) * perPage).prefix(perPage))
    }

    func setPhoto(_ png: Data, of id: String) throws {
        let old = try speaker(id)
        photos[id] = png
        speakers[id] = Speaker(id: id, name: old.name, talks: old.talks, photo: "photo.png")
    }

    func photo(of id: String) throws -> Data {
        guard let photo = photos[id] else { throw NoSuchSpeaker(id: id) }
        return photo
    }
}

struct NoSuchSpeaker: HTTPProblem, Equatable {
    static let problemType = "https://example.com/problems/no-such-speaker"
    let id: String
    var status: HTTPResponse.Status { .notFound }
}

struct RemoveSpeakerHandler: CommandHandler {
    let store: SpeakerStore
    func handle(_ command: RemoveSpeaker) async throws { try await store.remove(command.id) }
}

struct SetPhotoHandler: CommandHandler {
    let store: SpeakerStore
    func handle(_ command: SetPhoto) async throws { try await store.setPhoto(command.png, of: command.id) }
}

struct LoadSpeakerHandler: QueryHandler {
    let store: SpeakerStore
    func handle(_ query: LoadSpeaker) async throws -> Speaker { try await store.speaker(query.id) }
}

struct LoadSpeakersHandler: QueryHandler {
    let store: SpeakerStore
    func handle(_ query: LoadSpeakers) async throws -> [Speaker] { await store.list(query) }
}

struct LoadPhotoHandler: QueryHandler {
    let store: SpeakerStore
    func handle(_ query: LoadPhoto) async throws -> HTTPBytes {
        HTTPBytes(try await store.photo(of: query.id), mediaType: "image/png")
    }
}

// snippet.mount
/// A server of our own for the same messages.
func makeRouter(_ store: SpeakerStore) throws -> Router<BasicRequestContext> {
    let dispatcher = try StandardDispatcher {
        AddSpeakerHandler(store: store)
        RemoveSpeakerHandler(store: store)
        SetPhotoHandler(store: store)
        LoadSpeakerHandler(store: store)
        LoadSpeakersHandler(store: store)
        LoadPhotoHandler(store: store)
    }
    let api = try HTTPAPI(settings) {
        HTTPEndpoint(AddSpeaker.self, authorize: .scope("speakers"))
        HTTPEndpoint(RemoveSpeaker.self, authorize: .scope("speakers"))
        HTTPEndpoint(SetPhoto.self, authorize: .principal)
        HTTPEndpoint(LoadSpeaker.self, authorize: .open)
        HTTPEndpoint(LoadSpeakers.self, authorize: .open)
        HTTPEndpoint(LoadPhoto.self, authorize: .open)
    }
    let tokens = StaticTokenAuthenticator([TokenHash(of: "a-long-secret"): Principal(id: "ada", scopes: ["speakers"])])
    let router = Router()
    router.post("api/collections/_superusers/auth-with-password") { _, _ in #"{"token": "a-long-secret"}"# }
    try router.mount(dispatcher, api, authenticator: tokens)
    return router
}
// snippet.end

// snippet.use
func promote(with api: any Dispatcher) async throws {
    try await api.dispatch(AddSpeaker(id: "speaker00000013", name: "Sebastian", talks: 13))
    let speakers = try await api.dispatch(LoadSpeakers(filter: .talks(atLeast: 10), order: .mostTalks))
    print(speakers.map(\.name))

    try await api.dispatch(SetPhoto(id: "speaker00000013", png: png))
    let speaker = try await api.dispatch(LoadSpeaker(id: "speaker00000013"))
    let photo = try await api.dispatch(LoadPhoto(id: speaker.id, photo: speaker.photo))
    print(photo.mediaType, photo.data.count)
}
// snippet.end

// snippet.catch
func add(_ speaker: AddSpeaker, with api: any CommandDispatcher) async throws {
    do {
        try await api.dispatch(speaker)
    } catch let error as PocketBaseError {
        print(error.data["id"]?.message ?? error.message)
    } catch let error as SpeakerExists {
        print("\(error.id) is taken.")
    }
}
// snippet.end

func count() async throws {
    let client = MockHTTPClient()
    client.expect(.get, "/api/collections/speakers/records", json: #"{"items": [], "totalItems": 13}"#)
    let count = try await HTTPDispatcher(baseURL: BaseURL("http://localhost"), client: client).dispatch(CountSpeakers())
    precondition(count == 13)
}

// snippet.mock
func testThatASpeakerIsAddedOnce(_ login: Login) async throws {
    let client = MockHTTPClient()
    client.expect(.post, "/api/collections/_superusers/auth-with-password", json: #"{"token": "secret"}"#)
    client.expect(.post, "/api/collections/speakers/records", json: "{}")
    client.expect(.post, "/api/collections/speakers/records", problem: SpeakerExists(id: "speaker00000013"))

    let api = try makeAPI(client, login: login)
    let anna = AddSpeaker(id: "speaker00000013", name: "Anna", talks: 2)
    try await api.dispatch(anna)
    do {
        try await api.dispatch(anna)
        assertionFailure("She was there already.")
    } catch let error as SpeakerExists {
        assert(error.id == anna.id)
    }
    assert(client.received.last?.request.headerFields[.authorization] == "Bearer secret")
    assert(client.missing == [])
}
// snippet.end

/// A program would use its logger here.
func log(_ line: String) {
    #if !DUET_GUIDE_TESTS
        FileHandle.standardError.write(Data((line + "\n").utf8))
    #endif
}

/// No more of a picture than PocketBase looks at.
let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

#if !DUET_GUIDE_TESTS
    @main
    enum RemoteAPI {
        static func main() async throws {
            let arguments = CommandLine.arguments
            guard arguments.count == 4 else {
                let login = Login(url: try url("http://localhost"), email: "ada@example.com", password: "secret")
                try await count()
                try await testThatASpeakerIsAddedOnce(login)
                return try await run(makeAPI(RouterHTTPClient(makeRouter(SpeakerStore())), login: login))
            }
            let login = Login(url: try url(arguments[1]), email: arguments[2], password: arguments[3])
            try await withNIOHTTPClient { client in
                let api = try makeAPI(client, login: login)
                try await run(api)
                let anna = AddSpeaker(id: "speaker00000014", name: "Anna", talks: 2)
                try await api.dispatch(anna)
                guard try await api.dispatch(CountSpeakers()) > 0 else { preconditionFailure("Anna is there.") }
                try await api.dispatch(RemoveSpeaker(id: anna.id))
            }
        }

        static func run(_ api: any Dispatcher) async throws {
            try await promote(with: api)
            try await add(AddSpeaker(id: "speaker00000013", name: "Anna", talks: 2), with: api)
            try await api.dispatch(RemoveSpeaker(id: "speaker00000013"))
        }

        static func url(_ text: String) throws -> URL {
            guard let url = URL(string: text) else { throw URLError(.badURL) }
            return url
        }
    }
#endif
