import FeedProxy
import Testing

/// What an origin sends beyond an answer is nobody's answer (RFC 9112, section 6.3).
@Suite(.timeLimit(.minutes(5)))
struct SurplusTests {
    private let get = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

    /// The beginning of an answer that would swallow the head of the next.
    private static let beginning =
        "HTTP/1.1 301 Moved\r\nLocation: http://evil/\r\nCache-Control: max-age=99\r\nX-Swallow: "

    @Test(
        arguments: [
            ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
            ("GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab\n\r\n0\r\n\r\n"),
            ("GET", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
            ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"),
        ],
        [beginning, "H", "\r\n", "abc", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"]
    )
    func `what comes after an answer is not the next one`(exchange: (String, String), surplus: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("\(exchange.0) / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send(exchange.1 + surplus)
            #expect(await client.readHead().hasPrefix("HTTP/1.1 \(exchange.1.dropFirst(9).prefix(3)) "))
            #expect(await origin.readToEnd() == "")
            try await expectAnswer(stage)
        }
    }

    @Test
    func `what comes while nothing is asked is no answer either`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            _ = await client.read(until: "abc")
            try await origin.send(Self.beginning)
            #expect(await origin.readToEnd() == "")
            try await expectAnswer(stage)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4 \r\n\r\nab\n\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\nA: b\r\n\r\n",
    ])
    func `a connection is kept however the bytes of an answer arrive`(answer: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            for _ in 1...2 {
                _ = await origin.readHead()
                for byte in answer.utf8 { try await origin.send([byte]) }
                while !(await client.readHead()).hasPrefix("HTTP/1.1 20") {}
                _ = await client.read(
                    until: answer.contains("chunked") ? "\r\n\r\n" : answer.contains("ab") ? "ab\n\n" : ""
                )
                try await client.send(get)
            }
            #expect(await origin.readHead().hasPrefix("GET /next "))
        }
    }

    /// Another client is answered by what its own origin says.
    private func expectAnswer(_ stage: Stage) async throws {
        let client = try await stage.connect()
        try await client.send(get)
        let origin = try await stage.accept()
        #expect(await origin.readHead().hasPrefix("GET /next "))
        try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
        #expect(await client.read(until: "next").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
}
