//! A server for speakers: allowed hosts, health checks, tokens, other origins, and limits.

import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetJWT
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import JWTKit
import Logging

struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
}

struct ListSpeakers: HTTPQuery {
    typealias Value = [Speaker]
    static let route: QueryRoute<Self> = .get("speakers")
}

struct RemoveSpeaker: IDCommand {
    static let route: CommandRoute<Self> = .delete("speakers/{id}")

    let id: String
}

struct ListSpeakersHandler: QueryHandler {
    func handle(_ query: ListSpeakers) async throws -> [Speaker] { [Speaker(id: "13", name: "Sebastian")] }
}

struct RemoveSpeakerHandler: CommandHandler {
    func handle(_ command: RemoveSpeaker) async throws {}
}

// snippet.mount
let speakers = MessageAPI("speakers") {
    ListSpeakers.authorized(.open)
    RemoveSpeaker.authorized(.scope("speakers"))
}

func makeRouter(_ dispatcher: any Dispatcher, tokens: any TokenAuthenticator) throws -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: HostMiddleware(.listening(on: "127.0.0.1", names: ["api.example.org"])))
    router.health(checks: [HealthCheck("speakers") { _ = try await dispatcher.dispatch(ListSpeakers()) }])

    let options = MountOptions(
        cors: CORSPolicy(origins: ["https://example.org"]),
        maximumJSONBody: 16_384,
        maximumDuration: .seconds(10)
    )
    try router.mount(speakers, dispatcher, at: "/api", authenticator: tokens, options: options)
    return router
}
// snippet.end

// snippet.quota
func mountWithQuota(
    _ router: Router<BasicRequestContext>,
    _ dispatcher: any Dispatcher,
    _ notes: MessageAPI
) throws {
    let quota = ClientQuota(30, per: .seconds(60))
    try router.mount(notes, dispatcher, options: MountOptions(anonymousCommands: quota))
}
// snippet.end

// snippet.body
func addPhotos(
    to router: Router<BasicRequestContext>,
    save: @escaping @Sendable (Data) async throws -> HTTPResponse.Status
) {
    router.post("photos") { request, _ in
        try await request.withBody(upTo: 1_048_576) { photo in try await save(photo) }
    }
}
// snippet.end

// snippet.tokens
let tokens = StaticTokenAuthenticator([
    TokenHash(of: "token-of-ada"): Principal(id: "ada", scopes: ["speakers"])
])
// snippet.end

// snippet.jwt
/// - Parameter keys: The JSON Web Key Set that the issuer publishes.
func makeAuthenticator(keys: String) async throws -> JWTAuthenticator {
    try JWTAuthenticator(
        keys: await JWTKeyCollection().add(signingKeys: keys),
        algorithm: .es256,
        issuer: "https://login.example.org",
        audience: "speakers",
        now: { Date() }
    )
}
// snippet.end

// snippet.run
func makeServer(_ router: Router<BasicRequestContext>) -> some ApplicationProtocol {
    Application(
        router: router,
        limits: ServerLimits(connections: 1_000, writeTimeout: .seconds(10)),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
    )
}
// snippet.end

// snippet.request
func mountPerRequest(
    _ router: Router<BasicRequestContext>,
    _ dispatcher: any Dispatcher,
    _ notes: MessageAPI
) throws {
    try router.mount(notes, at: "/logged") { request, context in
        dispatcher.logging(to: context.logger)
    }
}
// snippet.end

/// The public key of RFC 7517, appendix A.1.
let keys = """
    {"keys": [{"kty": "EC", "crv": "P-256", "kid": "1",
               "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
               "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
    """
_ = try await makeAuthenticator(keys: keys)

// snippet.dispatch
let dispatcher = try StandardDispatcher {
    ListSpeakersHandler()
    RemoveSpeakerHandler()
}
let router = try makeRouter(dispatcher, tokens: tokens)
// snippet.end
try mountPerRequest(router, dispatcher, MessageAPI("speakers") { ListSpeakers.authorized(.open) })
_ = makeServer(router)

// snippet.deadline
func listInTime(_ api: some Dispatcher) async throws -> [Speaker] {
    try await withDeadline(in: .milliseconds(500)) {
        try await api.dispatch(ListSpeakers())
    }
}
// snippet.end

// snippet.key
func removeOnce(_ id: String, _ api: some Dispatcher) async throws {
    let key = UUID().uuidString
    try await withIdempotencyKey(key) {
        try await api.dispatch(RemoveSpeaker(id: id))
    }
}
// snippet.end

// snippet.principal
func removeAsAda(_ dispatcher: some Dispatcher) async throws {
    try await withPrincipal(Principal(id: "ada", scopes: ["speakers"])) {
        try await dispatcher.dispatch(RemoveSpeaker(id: "13"))
    }
}
// snippet.end

guard let url = URL(string: "http://api.example.org/api") else { fatalError("It is a URL.") }
let client = RouterHTTPClient(router)
let api = HTTPDispatcher(baseURL: url, client: client)
let ada = HTTPDispatcher(baseURL: url, client: client.authenticated(by: .bearer("token-of-ada")))
print(try await listInTime(api))
try await removeOnce("13", ada)
try await removeAsAda(dispatcher)
do {
    try await api.dispatch(RemoveSpeaker(id: "13"))
} catch let refusal as AuthorizationError {
    print(refusal.status)
}
