import DuetHummingbird
import Hummingbird
import TestSupport
import Testing

/// The host of a request, over real sockets (RFC 9112, sections 3.2 and 3.2.2).
@Suite(.timeLimit(.minutes(5)))
struct TargetTests {
    private func status(_ target: String, _ fields: String, version: String = "1.1") async throws -> String {
        let router = Router()
        router.get("/own") { _, _ in "own" }
        router.add(middleware: HostMiddleware(.only(["a"])))
        try router.mount(.notes, Notebook(), authenticator: Tokens())
        let answer = try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send("GET \(target) HTTP/\(version)\r\n\(fields)Connection: close\r\n\r\n")
                return await connection.readToEnd()
            }
        }
        return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    @Test(arguments: ["/v1/notes", "/own"])
    func `two hosts, or no host, are a bad request`(path: String) async throws {
        #expect(try await status(path, "Host: a\r\n") == "200")
        #expect(try await status(path, "Host: a\r\nHost: a\r\n") == "400")
        #expect(try await status(path, "Host: a\r\nhost: evil.example\r\n") == "400")
        #expect(try await status(path, "") == "400")
    }

    @Test
    func `a request of HTTP 1.0 need not name a host if any is allowed`() async throws {
        #expect(try await status("/own", "", version: "1.0") == "200")
    }

    @Test
    func `the host of a complete URL overrides the field`() async throws {
        #expect(try await status("http://a/v1/notes?query=x", "Host: a\r\n") == "200")
        #expect(try await status("http://a/v1/notes?query=x", "Host: evil.example\r\n") == "200")
        #expect(try await status("http://evil.example/v1/notes", "Host: a\r\n") == "421")
        #expect(try await status("http://evil.example:80/v1/notes?x=http://a/", "Host: a\r\n") == "421")
        #expect(try await status("http://a@evil.example/v1/notes", "Host: a\r\n") == "400")
    }
}
