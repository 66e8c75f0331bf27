import FeedProxy
import Testing

/// What goes through a proxy goes as it came.
@Suite(.timeLimit(.minutes(5)))
struct ForwardingTests {
    @Test(arguments: [("a:80", "a"), ("a:", "a"), ("a:8080", "a:8080"), ("[::1]:80", "[::1]"), ("[::80]", "[::80]")])
    func `a server with the port that it has anyway goes by one name`(host: String, name: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try await stage.accept().readHead().contains("Host: \(name)\r\n"))
        }
    }

    @Test(arguments: [" a", "a ", "a\t", " a \t "])
    func `spaces around a server's name are no part of it`(host: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost:\(host)\r\n\r\n")
            #expect(try await stage.accept().readHead().contains("Host: a\r\n"))
        }
    }

    @Test
    func `what follows an HTTP/1.0 answer that has a transfer coding is not taken for another`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            for _ in 1...2 {
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let origin = try await stage.accept()
                _ = await origin.readHead()
                let head = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                try await origin.send(head + "3\r\nabc\r\n0\r\n\r\n")
                #expect(await client.read(until: "\r\n0\r\n\r\n").contains("abc"))
            }
        }
    }

    @Test
    func `head and body of both come out as they went in, but for Via`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            let rest = "X-Odd: a  b\r\nx-odd: C\r\nCookie: a=1; b=2\r\nContent-Length: 5\r\n"
            try await client.send("POST /a%2Fb/../c//d?x=%20&y=[1]&%7e HTTP/1.1\r\nHost: a.test:81\r\n\(rest)\r\nhello")
            let origin = try await stage.accept()
            let head = await origin.readHead()
            #expect(
                head
                    == "POST /a%2Fb/../c//d?x=%20&y=[1]&%7e HTTP/1.1\r\nHost: a.test:81\r\n\(rest)Via: 1.1 feed\r\n\r\n"
            )
            #expect(await origin.read(5) == Array("hello".utf8))

            try await origin.send("HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 3\r\nAge: 5\r\n\r\nabc")
            let answer = await client.readHead()
            #expect(
                answer == "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 3\r\nAge: 5\r\nVia: 1.1 feed\r\n\r\n"
            )
            #expect(await client.read(3) == Array("abc".utf8))
        }
    }

    @Test(arguments: ["M-SEARCH", "PROPFIND", "PATCH", "OPTIONS", "DELETE", "TRACE", "PURGE"])
    func `any method goes through`(method: String) async throws {
        try await exchange("\(method) /x HTTP/1.1\r\nHost: a\r\n\r\n", answer: "HTTP/1.1 204 No Content\r\n\r\n") {
            #expect($0.hasPrefix("\(method) /x HTTP/1.1\r\n"))
            #expect($1 == "HTTP/1.1 204 No Content\r\nVia: 1.1 feed\r\n\r\n")
        }
    }

    /// Reasons are NIO's: it reads none, and writes those that are registered.
    @Test(arguments: ["200 OK", "299 ", "418 I'm a teapot", "599 ", "999 "])
    func `any status comes back`(status: String) async throws {
        let answer = "HTTP/1.1 \(status.prefix(3)) Whatever\r\nContent-Length: 0\r\n\r\n"
        try await exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", answer: answer) { _, answer in
            #expect(answer == "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nVia: 1.1 feed\r\n\r\n")
        }
    }

    @Test
    func `fields about a connection stay behind, also those that Connection names`() async throws {
        let own = "Keep-Alive: 1\r\nProxy-Connection: x\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Mine: 1\r\n"
        try await exchange(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: x-mine, Keep-Alive\r\n\(own)Proxy-Authorization: x\r\nX-Not: 1\r\n\r\n",
            answer:
                "HTTP/1.1 200 OK\r\nConnection: X-Mine\r\n\(own)Proxy-Authenticate: x\r\nX-Not: 1\r\nContent-Length: 0\r\n\r\n"
        ) { request, answer in
            #expect(request == "GET / HTTP/1.1\r\nHost: a\r\nX-Not: 1\r\nVia: 1.1 feed\r\n\r\n")
            #expect(answer == "HTTP/1.1 200 OK\r\nX-Not: 1\r\nContent-Length: 0\r\nVia: 1.1 feed\r\n\r\n")
        }
    }

    @Test
    func `Via names what versions came, after those that were there`() async throws {
        try await exchange(
            "GET / HTTP/1.0\r\nVia: 1.0 fred\r\n\r\n",
            answer: "HTTP/1.0 200 OK\r\nVia: 1.1 jane\r\nContent-Length: 0\r\n\r\n"
        ) { request, answer in
            #expect(request.hasSuffix("Via: 1.0 fred\r\nVia: 1.0 feed\r\n\r\n"))
            #expect(answer.contains("Via: 1.1 jane\r\nContent-Length: 0\r\nVia: 1.0 feed\r\n"))
        }
    }

    @Test(arguments: ["//", "/?", "//b.test/x", "/*", "/a?b?c", "/http://b.test/"])
    func `a path goes as it is, however odd`(path: String) async throws {
        try await exchange(
            "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n",
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        ) { request, _ in #expect(request.hasPrefix("GET \(path) HTTP/1.1\r\nHost: a\r\n")) }
    }

    @Test
    func `what trailers are announced goes on`() async throws {
        try await exchange(
            "GET / HTTP/1.1\r\nHost: a\r\nTrailer: X-Sum\r\n\r\n",
            answer: "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"
        ) { request, answer in
            #expect(request.contains("\r\nTrailer: X-Sum\r\n") && answer.contains("\r\nTrailer: X-Sum\r\n"))
        }
    }

    @Test
    func `an answer that can have no content has no length`() async throws {
        try await exchange(
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            answer: "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"
        ) { _, answer in #expect(answer == "HTTP/1.1 204 No Content\r\nVia: 1.1 feed\r\n\r\n") }
    }

    @Test
    func `a whole URL without a path is a slash, or all of the server for OPTIONS`() async throws {
        for (start, expected) in [
            ("GET http://b.test", "GET /"), ("OPTIONS http://b.test:81", "OPTIONS *"),
            ("OPTIONS http://b.test/", "OPTIONS /"), ("OPTIONS http://b.test?q", "OPTIONS /?q"),
        ] {
            try await exchange(
                "\(start) HTTP/1.1\r\nHost: a\r\n\r\n",
                answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            ) { request, _ in #expect(request.hasPrefix("\(expected) HTTP/1.1\r\nHost: b.test")) }
        }
    }

    @Test
    func `a request of HTTP 1 0 that names no server goes on with the origin's name`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            let origin = try await stage.accept()
            #expect(await origin.readHead().hasPrefix("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(stage.originPort)\r\n"))
        }
    }

    @Test(arguments: ["a", "a.test:81", "127.0.0.1:8080", "[::1]", "a_b-c.d~", "a:0", "a:65535"])
    func `a host with or without a port is one`(host: String) async throws {
        try await exchange(
            "GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n",
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        ) { request, _ in #expect(request.hasPrefix("GET /x HTTP/1.1\r\nHost: \(host)\r\n")) }
    }

    @Test(arguments: [
        "", "a.test/x", "a?q", "a#f", "u@a", "u:p@a", "a b", "a:80:81", "a:65536", "a:x", ":80", "[::1", "[]", "[x]",
        "[::1]x", "a%2Fb", "ä.test", "a,b/", "a\\b", "::1", "a:-1", "a:+1",
    ])
    func `what is no host is refused, in Host and in a whole URL`(host: String) async throws {
        var requests = ["GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n", "GET / HTTP/1.0\r\nHost: \(host)\r\n\r\n"]
        // There these are where the path or the query begins.
        if host.allSatisfy({ !"/? ".contains($0) }) {
            requests.append("GET http://\(host)/ HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        for request in requests {
            try await Stage.run { stage in
                let client = try await stage.connect()
                try await client.send(request)
                #expect(await client.readHead().hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(request)")
            }
        }
    }

    @Test(arguments: ["/app.js#zz", "http://a/app.js#zz", "http://a#zz", "#", "*", "http://", "a:1", "ftp://a/"])
    func `a target with a fragment, or that is none for GET, is refused`(target: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        }
    }

    @Test
    func `a whole URL names path and authority`() async throws {
        try await exchange(
            "GET http://b.test:8/p?q HTTP/1.1\r\nHost: a\r\n\r\n",
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        ) { request, _ in #expect(request.hasPrefix("GET /p?q HTTP/1.1\r\nHost: b.test:8\r\n")) }
    }

    @Test
    func `Max-Forwards counts down for OPTIONS and TRACE, and not for GET`() async throws {
        for (method, left) in [("OPTIONS", 1), ("TRACE", 1), ("GET", 2)] {
            try await exchange(
                "\(method) / HTTP/1.1\r\nHost: a\r\nMax-Forwards: 2\r\n\r\n",
                answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            ) { request, _ in #expect(request.contains("Max-Forwards: \(left)\r\n")) }
        }
    }

    @Test
    func `with no Max-Forwards left the proxy answers, without secrets`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n")
            #expect(await client.readHead() == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            try await client.send("TRACE /t HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\nCookie: secret\r\nX-B: 1\r\n\r\n")
            #expect(await client.readHead().contains("Content-Type: message/http\r\n"))
            let echo = await client.readHead()
            #expect(echo.hasPrefix("TRACE /t HTTP/1.1\r\nHost: a\r\n") && echo.contains("X-B: 1\r\n"))
            #expect(!echo.contains("secret"))
        }
    }

    /// Sends a request without a body through a proxy, answers it, and shows both heads as they came out.
    private func exchange(
        _ request: String,
        answer: String,
        check: (_ request: String, _ answer: String) -> Void
    ) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(request)
            let origin = try await stage.accept()
            let received = await origin.readHead()
            try await origin.send(answer)
            check(received, await client.readHead())
        }
    }
}
