import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import ServiceContextModule
import Testing

@Suite
struct AuthenticationTests {
    private let notebook = Notebook()
    private let client: RouterHTTPClient<RouterResponder<BasicRequestContext>>

    init() throws {
        client = RouterHTTPClient(try Router.notes(notebook))
    }

    private func me(_ fields: HTTPFields) async throws -> WhoAmI.Value {
        try JSONDecoder().decode(WhoAmI.Value.self, from: try await client.ask(.get, "/v1/me", fields).content)
    }

    @Test
    func `a request without a token gets 401 where a principal is needed`() async throws {
        let answer = try await client.ask(.post, "/v1/secret", body: #"{"text":"x"}"#)
        #expect(answer.status == 401)
        #expect(answer.problem != nil)
        #expect(answer[.wwwAuthenticate] == #"Bearer realm="api""#)
        #expect(notebook.dispatched == [])
    }

    @Test(arguments: ["Bearer reader", "bearer reader", "BEARER   reader"])
    func `a message with a valid token is handled`(credentials: String) async throws {
        let answer = try await client.ask(.post, "/v1/secret", [.authorization: credentials], body: #"{"text":"x"}"#)
        #expect(answer.status == 204)
    }

    @Test
    func `a principal without the scope gets 403`() async throws {
        try await notebook.dispatch(AddNote(note: Note(id: 1, text: "one")))
        let refused = try await client.ask(.delete, "/v1/notes/1", [.authorization: "Bearer reader"])
        #expect(refused.status == 403)
        #expect(refused[.wwwAuthenticate] == #"Bearer error="insufficient_scope""#)
        #expect(try await client.ask(.delete, "/v1/notes/1", [.authorization: "Bearer editor"]).status == 204)
    }

    @Test
    func `the handler knows the principal, on open messages too`() async throws {
        #expect(
            try await me([.authorization: "Bearer editor"])
                == .init(id: "editor", scopes: ["notes:read", "notes:remove"])
        )
        #expect(try await me([:]) == .init())
    }

    @Test(arguments: [
        "Bearer wrong", "Bearer", "Bearer ", "Bearer a b", "Bearer =", "Bearer a=b", "Bearer ä", "Bearer \"reader\"",
    ])
    func `an invalid token is refused for every message`(credentials: String) async throws {
        for path in ["/v1/me", "/v1/notes"] {
            let answer = try await client.ask(.get, path, [.authorization: credentials])
            #expect(answer.status == 401)
            #expect(answer[.wwwAuthenticate] == #"Bearer error="invalid_token""#)
        }
        #expect(notebook.dispatched == [])
    }

    @Test(arguments: [(8_191, 401), (8_192, 401), (8_193, 401)])
    func `a token that is too long is refused without a lookup`(length: Int, status: Int) async throws {
        let seen = Gate()
        let router = Router()
        let tokens = StaticTokenAuthenticator { _ in
            seen.open()
            return nil
        }
        try router.mount(.notes, notebook, authenticator: tokens)
        let credentials = "Bearer " + String(repeating: "x", count: length)
        #expect(try await RouterHTTPClient(router).ask(.get, "/v1/me", [.authorization: credentials]).status == status)
        #expect(seen.isOpen == (length <= 8_192))
    }

    @Test
    func `credentials of another scheme count as none`() async throws {
        #expect(try await me([.authorization: "Basic cmVhZGVyOng="]) == .init())
        let answer = try await client.ask(.post, "/v1/secret", [.authorization: "Basic cmVhZGVyOng="], body: "{}")
        #expect(answer.status == 401)
        #expect(answer[.wwwAuthenticate] == #"Bearer realm="api""#)
    }

    @Test
    func `several credentials are a bad request`() async throws {
        var fields: HTTPFields = [.authorization: "Bearer reader"]
        fields.append(HTTPField(name: .authorization, value: "Bearer editor"))
        let answer = try await client.ask(.get, "/v1/me", fields)
        #expect(answer.status == 400)
        #expect(answer[.wwwAuthenticate] == #"Bearer error="invalid_request""#)
    }

    @Test
    func `a token that cannot be checked at the moment gets 503`() async throws {
        let answer = try await client.ask(.get, "/v1/me", [.authorization: "Bearer broken"])
        #expect(answer.status == 503)
        #expect(answer.problem != nil)
        #expect(answer[.wwwAuthenticate] == nil)
    }

    @Test
    func `the context of the server's task does not reach the handler`() async throws {
        let router = try Router.notes(notebook)
        let responder = router.buildResponder()
        var context = ServiceContext.topLevel
        context.idempotencyKey = "own"
        try await TaskContext(service: context, caller: Caller(principal: Principal(id: "root"))).run {
            let request = Request(
                head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v1/me"),
                body: RequestBody(buffer: ByteBuffer())
            )
            let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
            let response = try await responder.respond(to: request, context: BasicRequestContext(source: source))
            #expect(response.headers[.contentLength] == "\(#"{"scopes":[],"hasDeadline":false}"#.utf8.count)")
        }
    }

    @Test(arguments: [(0, 400), (1, 200), (255, 200), (256, 400)])
    func `an idempotency key reaches the handler, up to a maximum length`(length: Int, status: Int) async throws {
        let key = String(repeating: "k", count: length)
        let answer = try await client.ask(.get, "/v1/me", [.idempotencyKey: key])
        #expect(answer.status == status)
        if status == 200 { #expect(try await me([.idempotencyKey: key]).key == key) }
    }
}
