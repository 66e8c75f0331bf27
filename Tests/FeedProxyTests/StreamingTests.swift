import FeedProxy
import Testing

/// Bodies, trailers and interim answers go through while they come.
@Suite(.timeLimit(.minutes(5)))
struct StreamingTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test
    func `chunks and trailers go both ways, each piece before the next is sent`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let origin = try await stage.accept()
            #expect(await origin.readHead().contains("\r\nTransfer-Encoding: chunked\r\n"))
            try await client.send("3\r\nabc\r\n")
            #expect(await origin.read(until: "abc\r\n") == "3\r\nabc\r\n")
            // An answer may begin before its request is complete.
            try await origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n")
            #expect(await client.readHead() == "HTTP/1.1 200 OK\r\nVia: 1.1 feed\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(await client.read(until: "de\r\n") == "2\r\nde\r\n")
            try await client.send("1\r\nf\r\n0\r\nX-Sum: 1\r\n\r\n")
            #expect(await origin.readHead() == "1\r\nf\r\n0\r\nX-Sum: 1\r\n\r\n")
            try await origin.send("0\r\nX-Sum: 2\r\nConnection: x\r\n\r\n")
            #expect(await client.readHead() == "0\r\nX-Sum: 2\r\n\r\n")
        }
    }

    @Test
    func `interim answers come with their fields, before the answer`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            let origin = try await stage.accept()
            #expect(await origin.readHead().contains("Expect: 100-continue\r\n"))
            try await origin.send("HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\n")
            #expect(await client.readHead() == "HTTP/1.1 100 Continue\r\nX-A: 1\r\nVia: 1.1 feed\r\n\r\n")
            try await client.send("hi")
            #expect(await origin.read(2) == Array("hi".utf8))
            try await origin.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n")
            let hints = await client.readHead()
            #expect(hints == "HTTP/1.1 103 \r\nLink: </a>\r\nLink: </b>\r\nVia: 1.1 feed\r\n\r\n")
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test
    func `a client that speaks HTTP 1 0 gets neither chunks nor interim answers, and the end of the connection`()
        async throws
    {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send(
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            try await origin.send("3\r\nabc\r\n0\r\n\r\n")
            #expect(await client.readToEnd() == "HTTP/1.1 200 OK\r\nVia: 1.1 feed\r\nConnection: close\r\n\r\nabc")
        }
    }

    @Test
    func `a body that ends with the origin's connection is whole`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.0 200 OK\r\n\r\nabc")
            try await origin.close()
            #expect(await client.readHead().hasSuffix("Transfer-Encoding: chunked\r\n\r\n"))
            #expect(await client.read(until: "0\r\n\r\n") == "3\r\nabc\r\n0\r\n\r\n")
        }
    }

    @Test
    func `HEAD and 304 have a length and no body, and the next request is answered`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            #expect(await client.readHead() == "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nVia: 1.1 feed\r\n\r\n")
            try await client.send(get)
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: \"1\"\r\n\r\n")
            let answer = await client.readHead()
            #expect(answer == "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: \"1\"\r\nVia: 1.1 feed\r\n\r\n")
            try await client.send(get)
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test
    func `requests that are sent at once are answered in their order`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send((1...3).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            let origin = try await stage.accept()
            for number in 1...3 {
                #expect(await origin.readHead().hasPrefix("GET /\(number) "))
                try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
                _ = await client.readHead()
                #expect(await client.read(1) == Array("\(number)".utf8))
            }
        }
    }

    @Test
    func `a connection on which a body was sent is used again`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            var origin: Peer?
            for number in 0..<300 {
                try await client.send("PUT /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
                let peer: Peer
                if let origin { peer = origin } else { peer = try await stage.accept() }
                origin = peer
                try #require(await peer.readHead().hasPrefix("PUT /\(number) "))
                _ = await peer.read(5)
                try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                _ = await client.readHead()
            }
        }
    }

    @Test
    func `bodies far larger than any buffer go both ways`() async throws {
        let bytes = (0..<16_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes.count)\r\n\r\n")
            async let sent: Void = client.send(bytes)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            #expect(await origin.read(bytes.count) == bytes)
            try await sent
            async let answered: Void = {
                try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
                try await origin.send(bytes)
            }()
            _ = await client.readHead()
            #expect(await client.read(bytes.count) == bytes)
            try await answered
        }
    }
}
