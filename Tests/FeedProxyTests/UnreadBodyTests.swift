import FeedProxy
import Testing

/// A body that nobody reads does not keep its client from sending it, nor from the next request.
@Suite(.timeLimit(.minutes(5)))
struct UnreadBodyTests {
    private let bytes = [UInt8](repeating: 7, count: 20_000_000)

    @Test
    func `an origin that dies early leaves a connection that goes on`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes.count)\r\n\r\n")
            async let sent: Void = client.send(bytes)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.close()
            #expect(await client.readHead().hasPrefix("HTTP/1.1 502 "))
            _ = await client.read(until: "}")
            try await sent
            try await expectAnswer(client, stage)
        }
    }

    @Test(arguments: ["", "Host: a\r\nHost: b\r\n", "Host: a/b\r\n"])
    func `a request that is refused leaves a connection that goes on`(fields: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("POST / HTTP/1.1\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n")
            try await client.send(bytes)
            #expect(await client.readHead().hasPrefix("HTTP/1.1 400 "))
            _ = await client.read(until: "}")
            try await expectAnswer(client, stage)
        }
    }

    @Test
    func `what has no end is not read for ever`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
            let piece = Array("100000\r\n".utf8) + [UInt8](repeating: 7, count: 0x100000) + Array("\r\n".utf8)
            let count = await client.send(piece, atMost: 1_000)
            #expect(count >= 64 && count < 1_000)
        }
    }

    @Test(
        arguments: [
            ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501),
            ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 3\r\n\r\nabc", 501),
            ("GET / HTTP/1.1\r\nHost: a/\r\nConnection: x, Upgrade\r\nUpgrade: h2c\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nConnection: upgrade\r\n\r\n", 400),
        ]
    )
    func `after what may be another protocol the connection ends`(request: String, status: Int) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(request)
            let head = await client.readHead()
            #expect(head.hasPrefix("HTTP/1.1 \(status) ") && head.contains("\r\nConnection: close\r\n"))
            #expect(await client.readToEnd().hasSuffix("}"))
        }
    }

    @Test
    func `a client that would speak another protocol is answered in HTTP, and the connection ends`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
            let origin = try await stage.accept()
            #expect(!(await origin.readHead().lowercased().contains("upgrade")))
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            #expect(await client.readHead().contains("\r\nConnection: close\r\n"))
            #expect(await client.readToEnd() == "abc")
        }
    }

    private func expectAnswer(_ client: Peer, _ stage: Stage) async throws {
        try await client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        let origin = try await stage.accept()
        #expect(await origin.readHead().hasPrefix("GET /next "))
        try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(await client.readHead().hasPrefix("HTTP/1.1 200 "))
    }
}
