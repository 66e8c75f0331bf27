import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@Suite
struct RoutingTests {
    private let notebook = Notebook()
    private let client: RouterHTTPClient<RouterResponder<BasicRequestContext>>

    init() throws {
        client = RouterHTTPClient(try Router.notes(notebook))
    }

    @Test
    func `an unknown path gets 404, which names no other path`() async throws {
        let answer = try await client.ask(.get, "/v1/note")
        #expect(answer.status == 404)
        #expect(answer.problem?.status == 404)
        #expect(answer.problem?.detail == "There is nothing at /v1/note.")
    }

    @Test
    func `a known path lists its methods`() async throws {
        let answer = try await client.ask(.put, "/v1/notes", body: "{}")
        #expect(answer.status == 405)
        #expect(answer[.allow] == "GET, HEAD, POST, OPTIONS")
        #expect(answer.problem?.detail == "/v1/notes supports GET, HEAD, POST, OPTIONS, not PUT.")
        #expect(try await client.ask(.head, "/v1/secret")[.allow] == "POST, OPTIONS")
    }

    @Test
    func `OPTIONS lists the methods too`() async throws {
        let answer = try await client.ask(.options, "/v1/notes/1")
        #expect(answer.status == 204)
        #expect(answer[.allow] == "GET, HEAD, DELETE, OPTIONS")
        #expect(answer.content.isEmpty)
        #expect(try await client.ask(.options, "/v1/none").status == 404)
    }

    @Test
    func `HEAD has all the fields of GET and no content`() async throws {
        try await notebook.dispatch(AddNote(note: Note(id: 1, text: "one")))
        for path in ["/v1/notes/1", "/v1/picture", "/v1/notes/2", "/v1/none"] {
            let get = try await client.ask(.get, path)
            let head = try await client.ask(.head, path)
            #expect(head.response.status == get.response.status)
            #expect(head.response.headerFields == get.response.headerFields)
            #expect(head[.contentLength] == "\(get.content.count)")
            #expect(head.content.isEmpty)
            #expect(!get.content.isEmpty)
        }
    }

    @Test
    func `an API below a base path behaves the same, and has no other paths`() async throws {
        let client = RouterHTTPClient(try Router.notes(notebook, at: "/api/"))
        #expect(try await client.ask(.get, "/api/v1/notes").status == 200)
        #expect(try await client.ask(.get, "/api/v1/notes?query=x").text == "[]")
        #expect(try await client.ask(.get, "/api/v1/note").problem?.detail == "There is nothing at /api/v1/note.")
        for path in ["/v1/notes", "/ap/v1/notes", "/apis/v1/notes", "/apiv1/notes", "/"] {
            let answer = try await client.ask(.get, path)
            #expect(answer.status == 404)
            #expect(answer.problem == nil)
        }
        #expect(try await client.ask(.get, "/api").status == 404)
    }

    @Test
    func `custom routes take precedence, and their errors stay unchanged`() async throws {
        let router = Router()
        router.get("v1/notes") { _, _ in "mine" }
        try router.mount(.notes, notebook, authenticator: Tokens())
        router.get("v1/late") { _, _ in "late" }
        router.get("v1/gone") { _, _ -> String in throw HTTPError(.notFound, message: "gone") }
        let client = RouterHTTPClient(router)
        #expect(try await client.ask(.get, "/v1/notes").text == "mine")
        #expect(try await client.ask(.get, "/v1/late").text == "late")
        #expect(try await client.ask(.get, "/v1/gone").text.contains("gone"))
        #expect(try await client.ask(.get, "/v1/gone").problem == nil)
        #expect(try await client.ask(.post, "/v1/late").status == 404)
    }

    @Test
    func `two APIs at one base respond as one`() async throws {
        let router = Router()
        try router.mount(.open { FindNotes.self }, notebook)
        let others = MessageAPI.open {
            AddNote.self
            GetNote.self
        }
        try router.mount(others, notebook)
        let client = RouterHTTPClient(router)
        #expect(try await client.ask(.get, "/v1/notes").status == 200)
        #expect(try await client.ask(.post, "/v1/notes", body: #"{"note":{"id":1,"text":"one"}}"#).status == 204)
        #expect(try await client.ask(.get, "/v1/notes/1").status == 200)
        #expect(try await client.ask(.put, "/v1/notes", body: "{}")[.allow] == "GET, HEAD, POST, OPTIONS")
        let options = try await client.ask(.options, "/v1/notes")
        #expect(options.status == 204)
        #expect(options[.allow] == "GET, HEAD, POST, OPTIONS")
        #expect(try await client.ask(.get, "/v1/note").problem?.detail == "There is nothing at /v1/note.")
    }

    @Test
    func `an internal error is not sent to clients`() async throws {
        let answer = try await client.ask(.get, "/v1/fail")
        #expect(answer.status == 500)
        #expect(answer.problem?.detail == "The server could not complete the request. Its log has the reason.")
        #expect(!answer.text.contains("hunter2"))
    }

    @Test
    func `each request gets its own dispatcher`() async throws {
        let router = Router()
        try router.mount(.notes, authenticator: Tokens()) { [notebook] request, context in
            guard request.headers.contains(.accept) else { throw Inside() }
            return notebook
        }
        let client = RouterHTTPClient(router)
        #expect(try await client.ask(.get, "/v1/notes", [.accept: "*/*"]).status == 200)
        let answer = try await client.ask(.get, "/v1/notes")
        #expect(answer.status == 500)
        #expect(!answer.text.contains("hunter2"))
    }

    @Test
    func `other hosts than the allowed ones are refused`() async throws {
        let router = Router()
        router.add(middleware: HostMiddleware(.only(["notes.example"])))
        try router.mount(.notes, notebook, authenticator: Tokens())
        let client = RouterHTTPClient(router)
        #expect(try await client.ask(.get, "/v1/notes").status == 200)
        #expect(try await client.ask(.get, "/v1/notes", host: "evil.example").status == 421)
    }
}
