import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is followed to its end`(status: Int) async throws {
        try await withServer(redirecting(status, to: "next?x=1#part")) { server, client in
            let (response, data) = try await client.send(server.request(.get, "/a/b"))
            #expect(response.status == .ok)
            #expect(data == Data("end".utf8))
            #expect(server.log.entry.requests.map(\.line) == ["GET /a/b HTTP/1.1", "GET /a/next?x=1 HTTP/1.1"])
        }
    }

    @Test(arguments: [
        (301, "POST", false), (302, "POST", false), (303, "POST", false), (303, "PUT", false),
        (301, "PUT", true), (302, "DELETE", true), (307, "POST", true), (308, "PUT", true),
    ])
    func `method and body are kept or dropped as the status says`(
        status: Int,
        method: String,
        isKept: Bool
    ) async throws {
        try await withServer(redirecting(status, to: "/next")) { server, client in
            let method = try #require(HTTPRequest.Method(method))
            _ = try await client.send(
                server.request(method, "/a/b", fields: [.contentType: "text/plain"]),
                body: Data("body".utf8)
            )
            let last = try #require(server.log.entry.requests.last)
            #expect(last.line == "\(isKept ? method.rawValue : "GET") /next HTTP/1.1")
            #expect(last.body == (isKept ? "body" : ""))
            #expect(last.fields["content-type"] == (isKept ? "text/plain" : nil))
        }
    }

    @Test func `HEAD stays HEAD after a 303`() async throws {
        try await withServer({
            $0.target == "/a"
                ? [.text("HTTP/1.1 303 X\r\nLocation: /next\r\n\r\n")] : [.text("HTTP/1.1 200 OK\r\n\r\n")]
        }) { server, client in
            _ = try await client.send(server.request(.head, "/a"))
            #expect(server.log.entry.requests.last?.line == "HEAD /next HTTP/1.1")
        }
    }

    @Test func `credentials stay within an origin`() async throws {
        try await withServer(redirecting(307, to: "/next")) { server, client in
            _ = try await client.send(server.request(.get, "/a", fields: Self.credentials))
            #expect(server.log.entry.requests.last?.fields["authorization"] == "Basic c2VjcmV0")
            #expect(server.log.entry.requests.last?.fields["cookie"] == "a=secret")
        }
    }

    @Test(arguments: ["http://127.0.0.1:%d/next", "http://user:other@127.0.0.1:%d/next"])
    func `credentials do not cross to another origin`(location: String) async throws {
        let other = try await RawServer.start { _ in [.answer(body: "end")] }
        let target = location.replacing("%d", with: "\(other.port)")
        try await withServer(redirecting(307, to: target)) { server, client in
            var fields = Self.credentials
            fields[.accept] = "text/plain"
            let (_, data) = try await client.send(server.request(.post, "/a", fields: fields), body: Data("b".utf8))
            #expect(data == Data("end".utf8))

            let received = try #require(other.log.entry.requests.first)
            #expect(received.body == "b")
            #expect(received.fields["accept"] == "text/plain")
            #expect(received.fields["host"] == "127.0.0.1:\(other.port)")
            #expect(!received.fields.values.contains { $0.contains("secret") || $0.contains("c2VjcmV0") })
            #expect(received.fields["authorization"] == nil)
        }
        try await other.stop()
    }

    @Test func `a redirect to a port that there cannot be is refused`() async throws {
        try await withServer(redirecting(302, to: "http://127.0.0.1:65536/")) { server, client in
            let error = await #expect(throws: HTTPClientError.self) { try await client.send(server.request()) }
            guard case .invalidRequest? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "http:///nowhere", "data:,x", "http+unix://%2Ftmp/x"])
    func `a redirect to anything but http and https is refused`(location: String) async throws {
        try await withServer(redirecting(302, to: location)) { server, client in
            let error = await #expect(throws: HTTPClientError.self) { try await client.send(server.request()) }
            guard case .redirectRefused? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a redirect that does not say where to is the answer`() async throws {
        try await withServer({ _ in [.answer("302 Found", body: "?")] }) { server, client in
            let (response, data) = try await client.send(server.request())
            #expect(response.status == .found)
            #expect(data == Data("?".utf8))
        }
    }

    @Test(arguments: [300, 304, 305])
    func `other answers of the three hundreds are not followed`(status: Int) async throws {
        try await withServer({ _ in [.answer("\(status) X", fields: "Location: /next\r\n")] }) { server, client in
            try await #expect(client.send(server.request()).0.status.code == status)
            #expect(server.log.entry.requests.count == 1)
        }
    }

    @Test(arguments: [(4, true), (5, true), (6, false)])
    func `five redirects are followed and no more`(redirects: Int, arrives: Bool) async throws {
        try await withServer({ request in
            let number = Int(request.target.dropFirst()) ?? 0
            return number == redirects
                ? [.answer(body: "end")] : [.answer("302 Found", fields: "Location: /\(number + 1)\r\n")]
        }) { server, client in
            let request = server.request(.get, "/0")
            if arrives {
                try await #expect(client.send(request).1 == Data("end".utf8))
            } else {
                try await expectTooMany(client, request)
            }
            #expect(server.log.entry.requests.count == min(redirects, 5) + 1)
        }
    }

    @Test func `a ring is left as soon as it closes`() async throws {
        try await withServer({ request in
            [.answer("302 Found", fields: "Location: \(request.target == "/a" ? "/b" : "/a")\r\n")]
        }) { server, client in
            try await expectTooMany(client, server.request(.get, "/a"))
            #expect(server.log.entry.requests.count == 2)
        }
    }

    @Test func `a form that is answered with the page it came from is no ring`() async throws {
        try await withServer({ request in
            request.line.hasPrefix("POST") ? [.answer("303 X", fields: "Location: /a\r\n")] : [.answer(body: "page")]
        }) { server, client in
            try await #expect(client.send(server.request(.post, "/a")).1 == Data("page".utf8))
        }
    }

    @Test func `the body of a redirect is not read, however long`() async throws {
        let head = "HTTP/1.1 302 Found\r\nLocation: /next\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await withServer({
            $0.target == "/" ? [.text(head), .endless(Array("1\r\nx\r\n".utf8))] : [.answer(body: "end")]
        }) { server, client in
            try await #expect(client.send(server.request()).1 == Data("end".utf8))
        }
    }

    private static let credentials: HTTPFields = [
        .authorization: "Basic c2VjcmV0", .cookie: "a=secret", .proxyAuthorization: "Basic c2VjcmV0",
    ]

    /// Redirects once, from everywhere but `/next`, `/a/next`.
    private func redirecting(_ status: Int, to location: String) -> @Sendable (ReceivedRequest) -> [Step] {
        { request in
            request.target.contains("next")
                ? [.answer(body: "end")] : [.answer("\(status) X", fields: "Location: \(location)\r\n")]
        }
    }

    private func expectTooMany(_ client: NIOHTTPClient, _ request: HTTPRequest) async throws {
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        guard case .tooManyRedirects? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
