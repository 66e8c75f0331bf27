//! A server for messages: who may ask, from where, and how much of the server they may take.

import Duet
import DuetHTTP
import DuetHummingbird
import DuetJWT
import DuetTesting
import Foundation
import Hummingbird
import JWTKit

struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
}

struct ListSpeakers: HTTPQuery {
    typealias Value = [Speaker]
    static let route: QueryRoute<Self> = .get("speakers")
}

struct RemoveSpeaker: IDCommand {
    static let route: CommandRoute<Self> = .delete("speakers/{id}").authorized(.scope("speakers"))

    let id: String
}

struct ListSpeakersHandler: QueryHandler {
    func handle(_ query: ListSpeakers) async throws -> [Speaker] { [Speaker(id: "13", name: "Sebastian")] }
}

struct RemoveSpeakerHandler: CommandHandler {
    func handle(_ command: RemoveSpeaker) async throws {}
}

// snippet.mount
/// - Parameter keys: What the issuer of the tokens publishes, a JSON Web Key Set.
func makeRouter(_ dispatcher: any Dispatcher, keys: String) async throws -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: HostMiddleware(.listening(on: "127.0.0.1", names: ["api.example.org"])))
    router.health(checks: [HealthCheck("speakers") { _ = try await dispatcher.dispatch(ListSpeakers()) }])

    let api = try HTTPAPI {
        HTTPEndpoint(ListSpeakers.self, authorize: .open)
        RemoveSpeaker.self
    }
    let authenticator = try JWTAuthenticator(
        keys: await JWTKeyCollection().add(jwksJSON: keys),
        algorithm: .es256,
        issuer: "https://login.example.org",
        audience: "speakers",
        now: { Date() }
    )
    let options = MountOptions(
        cors: CORSPolicy(origins: ["https://example.org"]),
        maximumJSONBody: 16_384,
        maximumDuration: .seconds(10)
    )
    try router.mount(dispatcher, api, at: "/api", authenticator: authenticator, options: options)
    return router
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

/// The public key of RFC 7517, appendix A.1.
let keys = """
    {"keys": [{"kty": "EC", "crv": "P-256", "kid": "1",
               "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
               "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
    """
let dispatcher = try StandardDispatcher {
    ListSpeakersHandler()
    RemoveSpeakerHandler()
}
let router = try await makeRouter(dispatcher, keys: keys)
_ = makeServer(router)

guard let url = URL(string: "http://api.example.org/api") else { fatalError("It is a URL.") }
let api = HTTPDispatcher(baseURL: url, client: RouterHTTPClient(router).deadline(.seconds(2)))
print(try await api.dispatch(ListSpeakers()))
do {
    try await api.dispatch(RemoveSpeaker(id: "13"))
} catch let failure as HTTPFailure {
    print(failure.response.status)
}
