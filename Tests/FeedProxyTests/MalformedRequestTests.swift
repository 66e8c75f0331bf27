import FeedProxy
import Foundation
import Testing

/// What is not HTTP is answered once, and ends its connection.
@Suite(.timeLimit(.minutes(5)))
struct MalformedRequestTests {
    private let chunked = "Transfer-Encoding: chunked\r\n\r\n"

    @Test
    func `a body that is not HTTP is 400, and the origin does not get it as whole`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\n\(chunked)3\r\nabc\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await client.send("ZZ\r\n")
            #expect(await !origin.readToEnd().contains("0\r\n\r\n"))
            let answers = await client.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answers.contains("Connection: close\r\n"))
            #expect(answers.split(separator: "HTTP/1.1").count == 1)
        }
    }

    @Test(
        arguments: [
            "POST / HTTP/1.1\r\nHost: a b\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "GET x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "TRACE / HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "nonsense\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nnonsense\r\n\r\n",
        ]
    )
    func `what the proxy answers itself is answered once, whatever follows`(request: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(request)
            let answers = await client.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 "))
            #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answers)")
        }
    }

    @Test
    func `what follows an answered request and is not HTTP is answered after it`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            let answers = await client.readToEnd()
            #expect(answers.contains("abc"))
            #expect(answers.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) } == ["200", "400"])
        }
    }

    @Test
    func `what follows the last request of a connection is not looked at`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nnonsense\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            let answers = await client.readToEnd()
            #expect(answers.hasSuffix("abc"), "\(answers)")
        }
    }

    @Test
    func `a request after the last answer of a connection goes nowhere`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            let fields = "HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"
            try await client.send("PUT /1 \(fields)POST /2 \(fields)")
            let origin = try await stage.accept()
            #expect(await origin.readHead().hasPrefix("PUT /1 "))
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
            try await origin.close()
            let answers = await client.readToEnd()
            #expect(answers.hasSuffix("abc") && answers.contains("Connection: close\r\n"))
            // The next that comes to the origin is another client's.
            let other = try await stage.connect()
            try await other.send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await stage.accept().readHead().hasPrefix("GET /3 "))
        }
    }

    @Test
    func `clients that go in the middle of a body or a head leave the proxy at work`() async throws {
        try await Stage.run { stage in
            for number in 0..<100 {
                let client = try await stage.connect()
                try await client.send(
                    number.isMultiple(of: 2)
                        ? "POST / HTTP/1.1\r\nHost: a b\r\nContent-Length: 10\r\n\r\nabc" : "GET / HT"
                )
                try await client.close()
            }
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 204 "))
        }
    }

    @Test
    func `half a head is no reason not to end, nor is what follows an answer`() async throws {
        try await Stage.run { stage in
            let half = try await stage.connect()
            try await half.send("GET / HT")
            let used = try await stage.connect()
            try await used.send("GET x HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = await used.read(until: "}")
            try await used.send("GET / HT")
            try await stage.shutDown()
            #expect(await half.readToEnd().isEmpty)
            #expect(await used.readToEnd().isEmpty)
        }
    }
}
