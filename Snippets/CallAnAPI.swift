//! PocketBase's REST API as typed messages. With an address as its argument it calls the PocketBase there.
//! Without arguments it needs no network: a mock client returns PocketBase's responses.
// swift-format-ignore-file: OrderedImports

// snippet.first
import Duet
// snippet.hide
import DuetCaching
// snippet.show
import DuetHTTP
import DuetURLSession
// snippet.hide
import Foundation

// snippet.show

struct Health: Codable, Sendable {
    let message: String
}

// GET api/health
struct LoadHealth: HTTPQuery {
    typealias Value = Health
    static let route: QueryRoute<Self> = .get("api/health")
}
// snippet.end

// snippet.record
struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
    let talks: Int
    let photo: String
}

// GET api/collections/speakers/records/{id}
struct LoadSpeaker: IDQuery, Hashable {
    typealias Value = Speaker
    static let route: QueryRoute<Self> = .get("api/collections/speakers/records/{id}")

    let id: String
}
// snippet.end

// snippet.list
// GET api/collections/speakers/records?filter=…&sort=…&page=…&perPage=…
struct LoadSpeakers: ThirdPartyQuery, Filterable, Orderable, Pageable {
    typealias Value = [Speaker]
    static let route: QueryRoute<Self> = .get("api/collections/speakers/records")
        .parameterNames(["order": "sort"])

    var filter: SpeakerFilter?
    var order = SpeakerOrder.name
    var page: Int?
    var perPage = 30

    // The JSON of the response.
    struct Payload: Codable, Sendable {
        let items: [Speaker]
    }

    static func value(from payload: Payload, answering query: Self) -> [Speaker] { payload.items }
}

// A filter is an expression in PocketBase's own language.
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

// DELETE api/collections/speakers/records/{id}   404 if there is no such record anymore
struct RemoveSpeaker: IDCommand {
    static let route: CommandRoute<Self> = .delete("api/collections/speakers/records/{id}")
        .acceptedStatuses(200...299, [404])

    let id: String
}
// snippet.end

// snippet.answered
// POST api/collections/speakers/records   {"name": …, "talks": …}   responds with the record and its new id
struct CreateSpeaker: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("api/collections/speakers/records")

    let name: String
    let talks: Int

    func answer(from content: Speaker?) -> LoadSpeaker? { content.map { LoadSpeaker(id: $0.id) } }
}
// snippet.end

// snippet.errors
// {"status": 400, "message": …, "data": {"id": {"code": …, "message": …}}}
struct PocketBaseError: Error, Codable, Equatable {
    struct Fault: Codable, Equatable {
        let code: String
        let message: String
    }

    let status: Int
    let message: String
    let data: [String: Fault]
}
// snippet.end

// snippet.login
// POST api/collections/_superusers/auth-with-password   {"identity": …, "password": …}
struct LoadToken: ThirdPartyQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .post("api/collections/_superusers/auth-with-password")

    let identity: String
    let password: String

    struct Payload: Codable, Sendable {
        let token: String
    }

    static func value(from payload: Payload, answering query: Self) -> String { payload.token }
}

func makeAPI(_ client: any HTTPClient, at server: BaseURL, email: String, password: String) -> any Dispatcher {
    // The login itself needs no token.
    let login = HTTPDispatcher(baseURL: server, client: client)
    let tokens = LoginTokenSource { try await login.dispatch(LoadToken(identity: email, password: password)) }
    return HTTPDispatcher(baseURL: server, client: decorate(client, tokens))
        .decodingErrors(as: PocketBaseError.self)
}

// The last operator is the outermost layer.
func decorate(_ client: any HTTPClient, _ tokens: LoginTokenSource) -> any HTTPClient {
    client
        .authenticated(by: tokens, refreshingOn: [401, 403])
        .retrying()
        .limiting(bodySize: 1_000_000)
        .deadline(.seconds(10))
}
// snippet.end

// snippet.bytes
// PATCH api/collections/speakers/records/{id}, with bytes in place of JSON.
struct SetPhoto: BodyCommand {
    static let route: CommandRoute<Self> = .patch("api/collections/speakers/records/{id}")

    let id: String
    let body: HTTPBytes  // Most APIs take HTTPBytes(png, mediaType: "image/png"). PocketBase takes a form.
}

// GET api/files/speakers/{id}/{photo}, whose response is bytes.
struct LoadPhoto: IDQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("api/files/speakers/{id}/{photo}")

    let id: String
    let photo: String
}
// snippet.end

// snippet.form
extension SetPhoto {
    init(id: String, png: Data) {
        let form = Self.formHead + png + Self.formTail
        self.init(id: id, body: HTTPBytes(form, mediaType: "multipart/form-data; boundary=photo"))
    }

    static let formHead = Data(
        "--photo\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.png\"\r\n\r\n".utf8
    )
    static let formTail = Data("\r\n--photo--\r\n".utf8)
}
// snippet.end

// MARK: The program

/// Never called: a program that is run as a snippet has no PocketBase.
func connect() throws -> (URLSessionHTTPClient, BaseURL) {
    // snippet.call
    let server = try BaseURL("http://127.0.0.1:8090")
    let client = URLSessionHTTPClient()
    // snippet.hide
    return (client, server)
}

func run(_ client: any HTTPClient, _ server: BaseURL) async throws {
    // snippet.show
    let api = HTTPDispatcher(baseURL: server, client: client)

    let health = try await api.dispatch(LoadHealth())
    print(health.message)
    // snippet.end

    // snippet.load
    let speaker = try await api.dispatch(LoadSpeaker(id: "speaker00000013"))
    print("\(speaker.name) gave \(speaker.talks) talks.")
    // snippet.end

    // snippet.find
    let speakers = try await api.dispatch(LoadSpeakers(filter: .talks(atLeast: 10), order: .mostTalks))
    print(speakers.map(\.name))
    // snippet.end

    // snippet.refused
    let anna = AddSpeaker(id: "speaker00000014", name: "Anna", talks: 2)
    do {
        try await api.dispatch(anna)
    } catch let failure as HTTPFailure {
        print(failure)
    }
    // snippet.end

    // snippet.admin
    let admin = makeAPI(client, at: server, email: "ada@example.com", password: "correct horse battery")

    try await admin.dispatch(anna)
    do {
        try await admin.dispatch(anna)
    } catch let error as PocketBaseError {
        print(error.data["id"]?.message ?? error.message)
    }
    for _ in 1...2 { try await admin.dispatch(RemoveSpeaker(id: anna.id)) }
    // snippet.end

    // snippet.answer
    let bo = try await admin.answer(to: CreateSpeaker(name: "Bo", talks: 1))
    print("\(bo.name) has an id of \(bo.id.count) characters.")
    // snippet.end
    try await admin.dispatch(RemoveSpeaker(id: bo.id))

    // snippet.log
    let logged = HTTPDispatcher(baseURL: server, client: client.logging { print($0) })
    _ = try await logged.dispatch(LoadHealth())
    // snippet.end

    // snippet.cached
    let log = client.logging { print($0) }
    let cached = try makeAPI(log, at: server, email: "ada@example.com", password: "correct horse battery")
        .caching(in: .memory(limit: .entries(1_000))) {
            Cache(LoadSpeaker.self, .maxAge(.minutes(5)))
            Invalidate(LoadSpeaker.self, after: RemoveSpeaker.self) { query, command in query.id == command.id }
        }
    for number in 1...2 {
        let speaker = try await cached.dispatch(LoadSpeaker(id: "speaker00000013"))
        print("Read \(number): \(speaker.name)")
    }
    // snippet.end
}

// snippet.test
import DuetHTTP
import DuetTesting
import HTTPTypes
import Testing

@Test func `a speaker is added once`() async throws {
    let taken = #"{"status": 400, "message": "…", "data": {"id": {"code": "…", "message": "Value must be unique."}}}"#
    let client = MockHTTPClient()
    client.expect(.post, "/api/collections/_superusers/auth-with-password", json: #"{"token": "secret"}"#)
    client.expect(.post, "/api/collections/speakers/records", json: "{}")
    client.expect(.post, "/api/collections/speakers/records", status: .badRequest, json: taken)

    let api = makeAPI(client, at: try BaseURL("http://localhost"), email: "ada@example.com", password: "secret")
    let anna = AddSpeaker(id: "speaker00000014", name: "Anna", talks: 2)
    try await api.dispatch(anna)
    let error = await #expect(throws: PocketBaseError.self) { try await api.dispatch(anna) }
    #expect(error?.data["id"]?.message == "Value must be unique.")
    #expect(client.received.last?.request.headerFields[.authorization] == "Bearer secret")
    #expect(client.missing == [])
}
// snippet.end

/// PocketBase's responses to the requests of `run`.
func makePocketBase() -> any HTTPClient {
    let records = "/api/collections/speakers/records"
    let sebastian = #"{"id": "speaker00000013", "name": "Sebastian", "talks": 13, "photo": ""}"#
    let client = MockHTTPClient()
    client.expect(.get, "/api/health", times: 2, json: #"{"message": "API is healthy.", "code": 200, "data": {}}"#)
    client.expect(.get, "\(records)/speaker00000013", json: sebastian)
    client.expect(
        .get,
        "\(records)?filter=talks%20%3E%3D%2010&sort=-talks&perPage=30",
        json: #"{"items": [\#(sebastian)], "page": 1, "perPage": 30, "totalItems": 1, "totalPages": 1}"#
    )
    client.expect(
        .post,
        records,
        status: .forbidden,
        json: #"{"data": {}, "message": "Only superusers can perform this action.", "status": 403}"#
    )
    client.expect(.post, "/api/collections/_superusers/auth-with-password", json: #"{"token": "secret"}"#)
    client.expect(.post, records) { request, _ in
        (HTTPResponse(status: request.headerFields[.authorization] == "Bearer secret" ? .ok : .forbidden), Data())
    }
    client.expect(
        .post,
        records,
        status: .badRequest,
        json: #"""
            {"data": {"id": {"code": "validation_not_unique", "message": "Value must be unique."}},
             "message": "Failed to create record.", "status": 400}
            """#
    )
    client.expect(.delete, "\(records)/speaker00000014", status: .noContent)
    client.expect(.delete, "\(records)/speaker00000014", status: .notFound, json: #"{"status": 404}"#)
    client.expect(.post, records, json: #"{"id": "speaker00000015", "name": "Bo", "talks": 1, "photo": ""}"#)
    client.expect(.delete, "\(records)/speaker00000015", status: .noContent)
    client.expect(.post, "/api/collections/_superusers/auth-with-password", json: #"{"token": "secret"}"#)
    client.expect(.get, "\(records)/speaker00000013", json: sebastian)
    return client
}

#if !DUET_GUIDE_TESTS
    @main
    enum CallAnAPI {
        static func main() async throws {
            let arguments = CommandLine.arguments
            if arguments.count == 2 {
                try await run(URLSessionHTTPClient(), BaseURL(arguments[1]))
            } else {
                try await run(makePocketBase(), BaseURL("http://127.0.0.1:8090"))
            }
        }
    }
#endif
