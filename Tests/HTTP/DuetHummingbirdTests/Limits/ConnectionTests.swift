import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

/// Behavior that only shows on a connection.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
    private let notebook = Notebook()
    private let router: Router<BasicRequestContext>

    init() throws {
        router = try Router.notes(notebook)
    }

    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

    @Test
    func `the handler of a client that disconnects is canceled`() async throws {
        try await withServer(router.buildResponder()) { [notebook, wait = get("/v1/wait")] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(wait)
                #expect(await notebook.events.first { _ in true } == "waiting")
                try await connection.close()
                #expect(await notebook.events.first { _ in true } == "canceled")
            }
        }
    }

    @Test
    func `a client that stays gets its response, and those to its next requests`() async throws {
        try await withServer(router.buildResponder()) {
            [notebook, wait = get("/v1/wait"), notes = get("/v1/notes")] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(wait + notes)
                #expect(await notebook.events.first { _ in true } == "waiting")
                notebook.gate.open()
                let answers = await connection.read(until: "[]")
                #expect(answers.contains("passed"))
                for _ in 1...3 {
                    try await connection.send(notes)
                    #expect(await connection.read(until: "[]").hasPrefix("HTTP/1.1 200 "))
                }
            }
        }
    }

    @Test
    func `a client that closes its half counts as disconnected, and no request behind is begun`() async throws {
        let answer = try await withServer(router.buildResponder()) {
            [notebook, wait = get("/v1/wait"), notes = get("/v1/notes")] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(wait + notes)
                #expect(await notebook.events.first { _ in true } == "waiting")
                try await connection.finish()
                return await connection.readToEnd()
            }
        }
        #expect(answer == "")
        #expect(await notebook.events.first { _ in true } == "canceled")
        #expect(notebook.dispatched == [])
    }

    @Test
    func `a response that is on its way arrives before the end of the connection`() async throws {
        let router = Router()
        router.get("/big") { _, _ in String(repeating: "a", count: 2_000_000) }
        try router.mount(.notes, notebook, authenticator: Tokens())
        let answer = try await withServer(router.buildResponder()) {
            [big = get("/big"), notes = get("/v1/notes")] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(big + notes)
                try await connection.finish()
                return await connection.readToEnd()
            }
        }
        #expect(answer.contains(String(repeating: "a", count: 2_000_000)))
    }

    @Test
    func `a custom route responds to a client that has closed its half`() async throws {
        let (gate, router) = (Gate(), Router())
        router.get("/own") { _, _ in
            try await gate.pass()
            return "done"
        }
        let answer = try await withServer(router.buildResponder()) { [own = get("/own")] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(own)
                await gate.arrivals(1)
                try await connection.finish()
                gate.open()
                return await connection.readToEnd()
            }
        }
        #expect(answer.contains("done"))
    }

    @Test
    func `a client that disconnects while its token is checked is noticed`() async throws {
        let (router, authenticator) = (Router(), GatedAuthenticator())
        try router.mount(.notes, notebook, authenticator: authenticator)
        try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send("GET /v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n\r\n")
                #expect(await authenticator.events.first { _ in true } == "waiting")
                try await connection.close()
                #expect(await authenticator.events.first { _ in true } == "canceled")
            }
        }
    }

    @Test
    func `a request within another leaves the cancellation of the other intact`() async throws {
        let inner = router.buildResponder()
        let outer = Router()
        try outer.mount(.notes, authenticator: Tokens()) { [notebook] _, context in
            // A complete request, which ends before the outer one does.
            let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v1/notes")
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            _ = try await inner.respond(to: request, context: context)
            return notebook
        }
        try await withServer(outer.buildResponder()) { [notebook, wait = get("/v1/wait")] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(wait)
                #expect(await notebook.events.first { _ in true } == "waiting")
                try await connection.close()
                #expect(await notebook.events.first { _ in true } == "canceled")
            }
        }
    }

    @Test(arguments: [("/v1/secret", "100", "401"), ("/v1/notes", "65537", "413"), ("/v1/none", "100", "404")])
    func `a request that can be refused without its body is`(path: String, length: String, status: String) async throws
    {
        try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                let fields = "Host: a\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n"
                try await connection.send("POST \(path) HTTP/1.1\r\n\(fields)\r\n")
                #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 \(status) "))
            }
        }
        #expect(notebook.dispatched == [])
    }

    @Test
    func `a chunked body that is too large is refused`() async throws {
        try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                let fields = "Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
                let chunk = "10001\r\n" + String(repeating: "x", count: 65_537) + "\r\n"
                try await connection.send("POST /v1/notes HTTP/1.1\r\n\(fields)\r\n\(chunk)")
                #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test(arguments: ["Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e8\r\n"])
    func `an incomplete body is not handled`(framing: String) async throws {
        let answer = try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send(
                    "PUT /v1/picture HTTP/1.1\r\nHost: a\r\nContent-Type: image/gif\r\n\(framing)GIF89a"
                )
                try await connection.finish()
                return await connection.readToEnd()
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(notebook.dispatched == [])
    }
}
