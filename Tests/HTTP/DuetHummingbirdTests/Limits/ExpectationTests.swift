import DuetHummingbird
import Hummingbird
import TestSupport
import Testing

/// Clients that wait for a response with 100 before they send a body (RFC 9110, section 10.1.1).
@Suite(.timeLimit(.minutes(5)))
struct ExpectationTests {
    private let notebook = Notebook()
    private let router: Router<BasicRequestContext>

    init() throws {
        router = try Router.notes(notebook)
    }

    private func head(_ path: String, length: Int, _ fields: String = "", version: String = "1.1") -> String {
        """
        POST \(path) HTTP/\(version)\r
        Host: a\r
        Content-Type: application/json\r
        Content-Length: \(length)\r
        Expect: 100-Continue\r
        \(fields)\r

        """
    }

    @Test
    func `a client that waits is asked for its body`() async throws {
        let body = #"{"note":{"id":1,"text":"one"}}"#
        try await withServer(router.buildResponder()) {
            [notebook, head = head("/v1/notes", length: body.utf8.count)] port in
            try await RawConnection.open(port) { connection in
                for _ in 1...2 {
                    try await connection.send(head)
                    #expect(await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                    try await connection.send(body)
                    #expect(await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
                }
            }
            #expect(notebook.dispatched == ["AddNote", "AddNote"])
        }
    }

    @Test(arguments: [("/v1/secret", 100, "401"), ("/v1/notes", 65_537, "413"), ("/v1/none", 100, "404")])
    func `a client whose request is refused is not asked for its body`(path: String, length: Int, status: String)
        async throws
    {
        let answer = try await withServer(router.buildResponder()) { [head = head(path, length: length)] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(head)
                return await connection.read(until: "}")
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test
    func `a client of HTTP 1.0 cannot wait`() async throws {
        let head = head("/v1/notes", length: 2, "Connection: close\r\n", version: "1.0")
        let answer = try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send(head + "{}")
                return await connection.read(until: "}")
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
    }
}
