import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExchangeTests {
    @Test(arguments: Adapter.allCases)
    func `method, path, query, fields and body reach the server unchanged`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            var request = server.request(.post, "/a%20b/c?x=1%2B1&y=%C3%BC", fields: [.accept: "text/plain"])
            request.headerFields.append(HTTPField(name: .cookie, value: "a=b"))
            _ = try await client.data(for: request, body: Data("hello".utf8))

            let received = try #require(server.log.entry.requests.first)
            #expect(received.line == "POST /a%20b/c?x=1%2B1&y=%C3%BC HTTP/1.1")
            #expect(received.fields["accept"] == "text/plain")
            #expect(received.fields["cookie"] == "a=b")
            #expect(received.fields["host"] == "127.0.0.1:\(server.port)")
            #expect(received.body == "hello")
        }
    }

    @Test(arguments: Adapter.allCases)
    func `status, fields and body of the response reach the caller`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in
            [.answer("299 Short and stout", fields: "X-A: 1\r\nX-A: 2\r\n", body: "tea")]
        }) {
            server,
            client in
            let (response, data) = try await client.data(for: server.request())

            let name = try #require(HTTPField.Name("X-A"))
            #expect(response.status.code == 299)
            // As one field or as two, which have the same meaning (RFC 9110, section 5.3).
            #expect(response.headerFields[name] == "1, 2")
            #expect(data == Data("tea".utf8))
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a host field does not replace the authority`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            let host = try #require(HTTPField.Name("Host"))
            _ = try await client.data(for: server.request(fields: [host: "elsewhere.example"]))
            #expect(server.log.entry.requests.first?.fields["host"] == "127.0.0.1:\(server.port)")
        }
    }

    @Test(arguments: Adapter.allCases, [200, 201, 204, 299, 300, 304, 400, 401, 404, 500, 503, 599])
    func `a response of any status is a response`(adapter: Adapter, status: Int) async throws {
        try await adapter.withServer({ _ in [.text("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")] }) {
            server,
            client in
            try await #expect(client.data(for: server.request()).0.status.code == status)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a 204 has an empty body and leaves the connection usable`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.text("HTTP/1.1 204 No Content\r\n\r\n")] }) { server, client in
            try await #expect(client.data(for: server.request()).1.isEmpty)
            try await #expect(client.data(for: server.request()).0.status == .noContent)
            #expect(server.log.entry.accepted == 1)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `the announced length of a response to HEAD is neither awaited nor limited`(adapter: Adapter) async throws {
        try await adapter.withServer(
            { _ in [.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")] },
            maximumBodySize: 10
        ) { server, client in
            let (response, data) = try await client.data(for: server.request(.head))
            #expect(response.headerFields[.contentLength] == "1000")
            #expect(data.isEmpty)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a 401 with a Basic challenge is a response`(adapter: Adapter) async throws {
        let fields = "WWW-Authenticate: Basic realm=\"a\"\r\n"
        try await adapter.withServer({ _ in [.answer("401 Unauthorized", fields: fields, body: "no")] }) {
            server,
            client in
            let (response, data) = try await client.data(for: server.request())
            #expect(response.status == .unauthorized)
            #expect(response.headerFields[.wwwAuthenticate] == "Basic realm=\"a\"")
            #expect(data == Data("no".utf8))
            #expect(server.log.entry.requests.count == 1)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `an interim response is skipped`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in
            [.text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .answer(body: "late")]
        }) { server, client in
            let (response, data) = try await client.data(for: server.request())
            #expect(response.status == .ok)
            #expect(data == Data("late".utf8))
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{5}hello",
            "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend",
            "\r\n",
            "\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend",
            "Content-Length: 5\r\n\r\nhello",
            "Transfer-Encoding: chunked\r\n\r\n",
        ]
    )
    func `an unrequested switch of protocols is a response or an error at once, and ends the connection`(
        adapter: Adapter,
        rest: String
    ) async throws {
        // The clock stands still: nothing here waits for the deadline.
        try await adapter.withServer(
            { _ in [.text("HTTP/1.1 101 Switching Protocols\r\n\(rest)")] },
            clock: ManualClock()
        ) { server, client in
            do {
                let (response, _) = try await client.data(for: server.request())
                #expect(response.status == .switchingProtocols)
            } catch let error as HTTPClientError {
                #expect(FailureKind(error) == .connectionFailed)
            }
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a chunked body arrives whole`(adapter: Adapter) async throws {
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        try await adapter.withServer({ _ in [.text(chunks)] }) { server, client in
            try await #expect(client.data(for: server.request()).1 == Data("abcde".utf8))
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a body without a length ends with the connection`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.text("HTTP/1.1 200 OK\r\n\r\nabc"), .close] }) { server, client in
            try await #expect(client.data(for: server.request()).1 == Data("abc".utf8))
        }
    }

    @Test(arguments: Adapter.allCases)
    func `compression is declined, and the fields of a compressed response describe its bytes`(
        adapter: Adapter
    ) async throws {
        let tea: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2B, 0x49, 0x4D, 0x04, 0x00, 0xB2, 0xD7, 0x86,
            0x8E, 0x03, 0x00, 0x00, 0x00,
        ]
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(tea.count)\r\n\r\n"
        try await adapter.withServer({ _ in [.text(head), .bytes(tea)] }) { server, client in
            let (response, data) = try await client.data(for: server.request())
            switch adapter {
            case .asyncHTTPClient:
                #expect(data == Data(tea))
                #expect(response.headerFields[.contentEncoding] == "gzip")
                #expect(response.headerFields[.contentLength] == "\(tea.count)")
            case .urlSession:
                #expect(data == Data("tea".utf8))
                #expect(response.headerFields[.contentEncoding] == nil)
                #expect(response.headerFields[.contentLength] == nil)
            }
            #expect(server.log.entry.requests.first?.fields["accept-encoding"] == "identity")
        }
    }
}
