import DuetHTTPCaching
import FeedProxy
import Testing

/// A proxy with a cache hands on what goes through it as one without does.
@Suite(.timeLimit(.minutes(5)))
struct CachingProxyTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test
    func `what is stored is answered without the origin, and it is told`() async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 3\r\n\r\nabc")
            #expect(await client.readHead().contains("Cache-Status: Duet; fwd="))
            _ = await client.read(until: "abc")
            try await client.send(get)
            let hit = await client.readHead()
            #expect(hit.contains("Cache-Status: Duet; hit;") && hit.contains("Content-Length: 3\r\n"))
            #expect(await client.read(until: "abc") == "abc")
            // A HEAD request is answered from what GET brought.
            try await client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.readHead().contains("Cache-Status: Duet; hit;"))
        }
    }

    @Test
    func `parts of what is stored are answered without the origin`() async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            let fields = "Cache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Length: 6"
            try await origin.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabcdef")
            _ = await client.read(until: "abcdef")
            for (range, status, content) in [("0-0", 206, "a"), ("2-3", 206, "cd"), ("-1", 206, "f")] {
                try await client.send("GET /a HTTP/1.1\r\nHost: a\r\nRange: bytes=\(range)\r\n\r\n")
                let head = await client.readHead()
                #expect(head.hasPrefix("HTTP/1.1 \(status) ") && head.contains("Cache-Status: Duet; hit"), "\(range)")
                #expect(head.contains("Content-Length: \(content.utf8.count)\r\n"))
                #expect(await client.read(content.utf8.count) == Array(content.utf8))
            }
        }
    }

    @Test
    func `a proxy that is its own origin sees that at once, and nobody waits`() async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            let again = try await stage.connect()
            try await again.send(await origin.readHead())
            #expect(await again.readHead().hasPrefix("HTTP/1.1 508 Loop Detected\r\n"))
        }
    }

    @Test
    func `an answer that has no body is stored too`() async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 204 No Content\r\nCache-Control: max-age=60\r\n\r\n")
            _ = await client.readHead()
            try await client.send(get)
            let hit = await client.readHead()
            #expect(hit.hasPrefix("HTTP/1.1 204 ") && hit.contains("Cache-Status: Duet; hit;"))
        }
    }

    @Test(arguments: ["Cache-Control: no-store", "Cache-Control: max-age=60"])
    func `interim answers and trailers go through a cache`(field: String) async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            #expect(await client.readHead().contains("Link: </a>\r\n"))
            try await origin.send("HTTP/1.1 200 OK\r\n\(field)\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            _ = await client.readHead()
            #expect(await client.read(until: "abc\r\n") == "3\r\nabc\r\n")
            try await origin.send("0\r\nX-Sum: 1\r\n\r\n")
            #expect(await client.readHead() == "0\r\nX-Sum: 1\r\n\r\n")
        }
    }

    @Test(
        arguments: [
            ("cache-control", "Cache-Control: no-store\r\nLast-Modified: Sat, 21 Nov 2020 12:00:00 GMT"),
            ("Cache-Control", "Cache-Control: private, max-age=60\r\nLast-Modified: Sat, 21 Nov 2020 12:00:00 GMT"),
            ("vary", "Vary: X-User\r\nCache-Control: max-age=60"),
        ]
    )
    func `what decides about caching counts although Connection names it`(option: String, fields: String) async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            var origin: Peer?
            for user in ["alice", "bob"] {
                try await client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-User: \(user)\r\n\r\n")
                let asked: Peer
                if let origin { asked = origin } else { asked = try await stage.accept() }
                origin = asked
                #expect(await asked.readHead().contains("X-User: \(user)\r\n"))
                let answer = "HTTP/1.1 200 OK\r\nConnection: \(option)\r\n\(fields)\r\nContent-Length: 0\r\n\r\n"
                try await asked.send(answer)
                #expect(await client.readHead().contains("\(fields.prefix(12))"))
            }
        }
    }

    @Test
    func `a change that names no server makes invalid what is stored of the origin`() async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            let get = "GET /a HTTP/1.1\r\nHost: 127.0.0.1:\(stage.originPort)\r\n\r\n"
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n")
            _ = await client.readHead()
            let old = try await stage.connect()
            try await old.send("POST /a HTTP/1.0\r\n\r\n")
            #expect(await origin.readHead().hasPrefix("POST /a "))
            try await origin.send("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(await old.readHead().hasPrefix("HTTP/1.1 204 "))
            try await client.send(get)
            #expect(await origin.readHead().hasPrefix("GET /a "))
        }
    }

    @Test
    func `a client that goes away ends the origin's work through a cache too`() async throws {
        try await Stage.run(decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await client.close()
            #expect(await origin.readToEnd().isEmpty)
        }
    }
}
