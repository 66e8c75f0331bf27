import DuetHTTP
import Foundation
import HTTPTypes
import Testing

private let marks = "a" + String(repeating: "\u{301}", count: 2_000) + String(repeating: "\u{316}", count: 2_000)

@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
    @Test(
        arguments: Adapter.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1234",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n1234",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n",
            "HTTP/1.1 200",
            "",
        ]
    )
    func `a truncated response is an error`(adapter: Adapter, answer: String) async throws {
        try await adapter.withServer({ _ in [.text(answer), .close] }) { server, client in
            try await expectFailure(client, server, reasons: adapter.cutShort)
        }
    }

    // For URLSession on Linux, see LinuxLimitTests.
    @Test(
        arguments: Adapter.allCases.filter { !$0.isURLSessionOnLinux },
        ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"]
    )
    func `a truncated head is not a response`(adapter: Adapter, answer: String) async throws {
        try await adapter.withServer({ _ in [.text(answer), .close] }) { server, client in
            try await expectFailure(client, server, reasons: adapter.cutShort)
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Type: \(marks)\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 404 Not found\r\nX-Field: a\r\nLocation: /\(marks)\r\nContent-Length: 3\r\n\r\nabc",
        ]
    )
    func `a head that takes long to compare is an error`(adapter: Adapter, answer: String) async throws {
        try await adapter.withServer({ _ in [.text(answer)] }) { server, client in
            try await expectFailure(client, server, reasons: ["must not have more than 30 combining characters"])
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            "SSH-2.0-OpenSSH_9.2\r\n",
            "\u{0}\u{1}\u{2}\u{3}\r\n\r\n",
            "HTTP/1.1 99999 No\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 000 No\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ]
    )
    func `a response that is not HTTP is an error`(adapter: Adapter, answer: String) async throws {
        try await adapter.withServer({ _ in [.text(answer)] }) { server, client in
            try await expectFailure(client, server, reasons: adapter.notHTTP)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `an endless head is an error`(adapter: Adapter) async throws {
        let field = Array("X-Field: \(String(repeating: "a", count: 1_000))\r\n".utf8)
        try await adapter.withServer({ _ in [.text("HTTP/1.1 200 OK\r\n"), .endless(field)] }) { server, client in
            try await expectFailure(client, server, reasons: adapter.notHTTP)
            await server.log.until { $0.open == 0 }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `the error of a refused connection says so`(adapter: Adapter) async throws {
        // No server listens on the port of a stopped one.
        let server = try await RawServer.start { _ in [] }
        try await server.stop()
        try await adapter.withClient { client in
            try await expectFailure(client, server, reasons: ["the connection was refused"])
        }
    }

    @Test(arguments: Adapter.allCases)
    func `an error text has neither a password nor a query`(adapter: Adapter) async throws {
        let server = try await RawServer.start { _ in [] }
        try await server.stop()
        try await adapter.withClient { client in
            let error = await #expect(throws: HTTPClientError.self) {
                try await client.data(for: server.request(.get, "/path?token=secret"))
            }
            let text = try #require(error?.description)
            #expect(text.contains("http://127.0.0.1:\(server.port)/path:"))
            #expect(!text.contains("secret"))
        }
    }

    @Test(
        arguments: Adapter.allCases,
        ["127.0.0.1:65536", "127.0.0.1:99999999999999999999", "[::1]:70000", "127.0.0.1:-1"]
    )
    func `an impossible port is refused`(adapter: Adapter, authority: String) async throws {
        try await adapter.withClient { client in
            let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
            try await expect(.invalidRequest) { try await client.data(for: request) }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a command is sent once if the server closes a connection that was used before`(adapter: Adapter) async throws
    {
        try await adapter.withServer { request in
            request.line.hasPrefix("POST") ? [.close] : [.answer(body: "one")]
        } test: { server, client in
            for body in [nil, Data("two".utf8)] {
                #expect(try await client.data(for: server.request()).0.status == .ok)
                try await expect(.connectionFailed) { try await client.data(for: server.request(.post), body: body) }
            }
            #expect(server.log.entry.requests.filter { $0.line.hasPrefix("POST") }.count == 2)
        }
    }

    /// Expects that a request fails for one of these reasons.
    private func expectFailure(_ client: ProbedClient, _ server: RawServer, reasons: [String]) async throws {
        let error = try await expect(.connectionFailed) { try await client.data(for: server.request()) }
        #expect(reasons.contains { error.description.contains($0) }, "\(error)")
    }
}

extension Adapter {
    /// The text of the error when a response was cut short; on Linux URLSession has libcurl's text instead of a code.
    fileprivate var cutShort: [String] {
        isURLSessionOnLinux
            ? ["transfer closed with", "Empty reply from server"]
            : ["the connection was closed before the response was complete"]
    }

    /// The text of the error when a response is not HTTP; on Linux URLSession has a code for some, else libcurl's text.
    fileprivate var notHTTP: [String] {
        ["the response is not valid HTTP"]
            + (isURLSessionOnLinux
                ? ["Invalid Content-Length", "Illegal or missing hexadecimal sequence", "Too large response headers"]
                : [])
    }
}
