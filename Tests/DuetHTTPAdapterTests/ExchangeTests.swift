import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ExchangeTests {
    @Test func `method, path, query, fields and body reach the server as they are`() async throws {
        try await withServer({ _ in [.answer()] }) { server, client in
            var request = server.request(.post, "/a%20b/c?x=1%2B1&y=%C3%BC", fields: [.accept: "text/plain"])
            request.headerFields.append(HTTPField(name: .cookie, value: "a=b"))
            _ = try await client.send(request, body: Data("hello".utf8))

            let received = try #require(server.log.entry.requests.first)
            #expect(received.line == "POST /a%20b/c?x=1%2B1&y=%C3%BC HTTP/1.1")
            #expect(received.fields["accept"] == "text/plain")
            #expect(received.fields["cookie"] == "a=b")
            #expect(received.fields["host"] == "127.0.0.1:\(server.port)")
            #expect(received.body == "hello")
        }
    }

    @Test func `status, fields and body of the answer reach the caller`() async throws {
        try await withServer({ _ in [.answer("299 Short and stout", fields: "X-A: 1\r\nX-A: 2\r\n", body: "tea")] }) {
            server,
            client in
            let (response, data) = try await client.send(server.request())

            let name = try #require(HTTPField.Name("X-A"))
            #expect(response.status.code == 299)
            #expect(response.headerFields[values: name] == ["1", "2"])
            #expect(data == Data("tea".utf8))
        }
    }

    @Test func `a host field does not replace the authority`() async throws {
        try await withServer({ _ in [.answer()] }) { server, client in
            let host = try #require(HTTPField.Name("Host"))
            _ = try await client.send(server.request(fields: [host: "elsewhere.example"]))
            #expect(server.log.entry.requests.first?.fields["host"] == "127.0.0.1:\(server.port)")
        }
    }

    @Test(arguments: [200, 201, 204, 299, 300, 304, 400, 401, 404, 500, 503, 599])
    func `an answer is an answer whatever its status`(status: Int) async throws {
        try await withServer({ _ in [.text("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")] }) { server, client in
            try await #expect(client.send(server.request()).0.status.code == status)
        }
    }

    @Test func `a 204 has an empty body and leaves the connection usable`() async throws {
        try await withServer({ _ in [.text("HTTP/1.1 204 No Content\r\n\r\n")] }) { server, client in
            try await #expect(client.send(server.request()).1.isEmpty)
            try await #expect(client.send(server.request()).0.status == .noContent)
            #expect(server.log.entry.accepted == 1)
        }
    }

    @Test func `the length that an answer to HEAD announces is not waited for and not limited`() async throws {
        try await withServer(
            { _ in [.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")] },
            configuration: .init(maximumBodySize: 10)
        ) { server, client in
            let (response, data) = try await client.send(server.request(.head))
            #expect(response.headerFields[.contentLength] == "1000")
            #expect(data.isEmpty)
        }
    }

    @Test func `a 401 with a Basic challenge is an answer`() async throws {
        let fields = "WWW-Authenticate: Basic realm=\"a\"\r\n"
        try await withServer({ _ in [.answer("401 Unauthorized", fields: fields, body: "no")] }) { server, client in
            let (response, data) = try await client.send(server.request())
            #expect(response.status == .unauthorized)
            #expect(response.headerFields[.wwwAuthenticate] == "Basic realm=\"a\"")
            #expect(data == Data("no".utf8))
            #expect(server.log.entry.requests.count == 1)
        }
    }

    @Test func `an interim answer is passed over`() async throws {
        try await withServer({ _ in
            [.text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .answer(body: "late")]
        }) { server, client in
            let (response, data) = try await client.send(server.request())
            #expect(response.status == .ok)
            #expect(data == Data("late".utf8))
        }
    }

    @Test func `a chunked body arrives whole`() async throws {
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        try await withServer({ _ in [.text(chunks)] }) { server, client in
            try await #expect(client.send(server.request()).1 == Data("abcde".utf8))
        }
    }

    @Test func `a body without a length ends with the connection`() async throws {
        try await withServer({ _ in [.text("HTTP/1.1 200 OK\r\n\r\nabc"), .close] }) { server, client in
            try await #expect(client.send(server.request()).1 == Data("abc".utf8))
        }
    }

    @Test func `compression is not asked for, and compressed bytes are handed on as they are`() async throws {
        // The start of a gzip file; what it would unpack to does not matter, because nobody unpacks it.
        let bytes: [UInt8] = [0x1F, 0x8B, 0x08, 0x00]
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
        try await withServer({ _ in [.text(head), .bytes(bytes)] }) { server, client in
            let (response, data) = try await client.send(server.request())
            #expect(data == Data(bytes))
            #expect(response.headerFields[.contentEncoding] == "gzip")
            #expect(server.log.entry.requests.first?.fields["accept-encoding"] == nil)
        }
    }

    @Test func `a client that was shut down says so, and shuts down again without complaint`() async throws {
        let server = try await RawServer.start { _ in [.answer()] }
        let client = NIOHTTPClient()
        try await client.shutdown()
        try await client.shutdown()

        let error = await #expect(throws: HTTPClientError.self) { try await client.send(server.request()) }
        guard case .shutDown? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await server.stop()
    }

    @Test func `shutting down ends the requests under way`() async throws {
        try await withServer({ _ in [] }) { server, client in
            let request = server.request()
            let task = Task { try await client.send(request) }
            await server.log.until { $0.requests.count == 1 }
            try await client.shutdown()

            let error = await #expect(throws: HTTPClientError.self) { try await task.value }
            guard case .shutDown? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await server.log.until { $0.open == 0 }
        }
    }
}
