import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@Suite
struct CORSTests {
    private static let page = "https://page.example"

    private func client(credentials: Bool = false) throws -> RouterHTTPClient<RouterResponder<BasicRequestContext>> {
        let cors = CORSPolicy(origins: [Self.page], allowsCredentials: credentials, maximumAge: .seconds(60))
        return RouterHTTPClient(try Router.notes(Notebook(), options: MountOptions(cors: cors)))
    }

    private func preflight(_ origin: String) -> HTTPFields {
        [.origin: origin, .accessControlRequestMethod: "DELETE", .accessControlRequestHeaders: "authorization"]
    }

    @Test
    func `an allowed page may read responses, including problems`() async throws {
        let fields = [
            "Accept-Ranges", "Content-Location", "Content-Range", "ETag", "Location", "Preference-Applied",
            "Duet-Problem", "Retry-After", "WWW-Authenticate",
        ]
        for path in ["/v1/notes", "/v1/notes/7", "/v1/none", "/v1/secret"] {
            let answer = try await client().ask(.get, path, [.origin: Self.page])
            #expect(answer[.accessControlAllowOrigin] == Self.page)
            #expect(answer[.accessControlExposeHeaders] == fields.joined(separator: ", "))
            #expect(answer[.accessControlAllowCredentials] == nil)
            #expect(answer[.vary] == "Origin")
        }
        #expect(
            try await client(credentials: true).ask(.get, "/v1/notes", [.origin: Self.page])[
                .accessControlAllowCredentials
            ] == "true"
        )
    }

    @Test(arguments: [
        "https://other.example", "https://page.example:8443", "http://page.example", "null", "*",
        "https://page.example.evil",
    ])
    func `another page may not`(origin: String) async throws {
        for fields in [[.origin: origin], preflight(origin)] as [HTTPFields] {
            let method: HTTPRequest.Method = fields.count == 1 ? .get : .options
            let answer = try await client().ask(method, "/v1/notes/7", fields)
            #expect(answer[.accessControlAllowOrigin] == nil)
            #expect(answer[.accessControlAllowMethods] == nil)
            #expect(answer[.vary] == "Origin")
        }
    }

    @Test
    func `an allowed page learns from a preflight request what it may send`() async throws {
        let answer = try await client().ask(.options, "/v1/notes/7", preflight(Self.page))
        #expect(answer.status == 204)
        #expect(answer[.accessControlAllowOrigin] == Self.page)
        #expect(answer[.accessControlAllowMethods] == "GET, HEAD, DELETE")
        #expect(
            answer[.accessControlAllowHeaders]
                == "Authorization, Cache-Control, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, "
                + "Prefer, Request-Timeout"
        )
        #expect(answer[.accessControlMaxAge] == "60")
    }

    @Test
    func `responses vary by origin, including 304`() async throws {
        let client = try client()
        let tag = try #require(try await client.ask(.get, "/v1/notes")[.eTag])
        let answer = try await client.ask(.get, "/v1/notes", [.ifNoneMatch: tag])
        #expect(answer.status == 304)
        #expect(answer[.vary] == "Origin")
    }

    @Test
    func `without a policy, responses have no CORS fields`() async throws {
        let client = RouterHTTPClient(try Router.notes(Notebook()))
        let answer = try await client.ask(.options, "/v1/notes", preflight(Self.page))
        #expect(answer[.accessControlAllowOrigin] == nil)
        #expect(answer[.vary] == nil)
    }

    /// Two APIs at one base: the outer one has GET and HEAD of `v1/notes` and `v1/me`, the inner one POST and
    /// `v1/notes/{id}`.
    private func pair(outer: CORSPolicy?, inner: CORSPolicy?) throws -> RouterHTTPClient<
        RouterResponder<BasicRequestContext>
    > {
        let router = Router()
        let first = MessageAPI.open {
            FindNotes.self
            WhoAmI.self
        }
        let second = MessageAPI.open {
            AddNote.self
            GetNote.self
        }
        try router.mount(first, Notebook(), options: MountOptions(cors: outer))
        try router.mount(second, Notebook(), options: MountOptions(cors: inner))
        return RouterHTTPClient(router)
    }

    private func allowed(
        _ client: RouterHTTPClient<RouterResponder<BasicRequestContext>>,
        _ method: String,
        _ path: String
    ) async throws -> String? {
        let fields: HTTPFields = [.origin: Self.page, .accessControlRequestMethod: method]
        let answer = try await client.ask(.options, path, fields)
        #expect(answer.status == 204)
        #expect((answer[.accessControlAllowOrigin] == nil) == (answer[.accessControlAllowMethods] == nil))
        return answer[.accessControlAllowMethods]
    }

    @Test
    func `an API without a policy leaves the responses of another one unchanged`() async throws {
        let client = try pair(outer: nil, inner: CORSPolicy(origins: [Self.page]))
        #expect(try await allowed(client, "GET", "/v1/notes/1") == "GET, HEAD")
        #expect(try await allowed(client, "POST", "/v1/notes") == "POST")
        #expect(try await allowed(client, "GET", "/v1/notes") == nil)
        #expect(try await allowed(client, "GET", "/v1/me") == nil)
        #expect(try await client.ask(.get, "/v1/notes/1", [.origin: Self.page])[.accessControlAllowOrigin] == Self.page)
        #expect(try await client.ask(.options, "/v1/notes")[.allow] == "GET, HEAD, POST, OPTIONS")
    }

    @Test
    func `a policy applies only to the methods of its own API`() async throws {
        let client = try pair(outer: CORSPolicy(origins: [Self.page]), inner: nil)
        #expect(try await allowed(client, "GET", "/v1/notes/1") == nil)
        #expect(try await allowed(client, "POST", "/v1/notes") == nil)
        #expect(try await allowed(client, "GET", "/v1/notes") == "GET, HEAD")
        #expect(try await allowed(client, "GET", "/v1/me") == "GET, HEAD")
        #expect(try await client.ask(.get, "/v1/notes/1", [.origin: Self.page])[.accessControlAllowOrigin] == nil)
    }
}
