import DuetHTTP
import DuetHTTPCaching
import FeedProxy
import Foundation
import HTTPTypes
import InMemoryLogging
import Logging
import NIOCore
import NIOPosix
import Testing

/// What breaks on one side is told on the other, and nothing is sent twice.
@Suite(.timeLimit(.minutes(5)))
struct FailureTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test
    func `a client that goes away ends the origin's work, before the answer and in its middle`() async throws {
        for begun in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"] {
            try await Stage.run { stage in
                let client = try await stage.connect()
                try await client.send(get)
                let origin = try await stage.accept()
                _ = await origin.readHead()
                if !begun.isEmpty {
                    try await origin.send(begun)
                    _ = await client.read(until: "abc")
                }
                try await client.close()
                #expect(await origin.readToEnd().isEmpty)
            }
        }
    }

    @Test
    func `a client that breaks off its body leaves the origin without the rest`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            #expect(await origin.read(3) == Array("abc".utf8))
            try await client.close()
            #expect(await origin.readToEnd().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `nor does it where only the end of the connection tells the end of a body`(isWhole: Bool) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            #expect(await client.read(until: "\r\n\r\nabc").contains("200 OK"))
            if isWhole { try await origin.send("0\r\n\r\n") } else { try await origin.close() }
            #expect(await client.readToEnd() == "")
            #expect(client.isBroken == !isWhole)
        }
    }

    @Test(arguments: ["Content-Length: 9\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"])
    func `an answer that breaks off does not look whole`(begun: String) async throws {
        let log = InMemoryLogHandler()
        try await Stage.run(log: log) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\n\(begun)")
            try await origin.close()
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && !answer.contains("0\r\n\r\n"))
        }
        let warnings = log.entries.filter { $0.level == .warning }
        #expect(warnings.map { "\($0.message)".prefix(21) } == ["The answer broke off:"])
        #expect(warnings.first?.metadata["request"] == "GET http://a/")
    }

    @Test
    func `that what is stored stands in for an origin that failed is told`() async throws {
        let log = InMemoryLogHandler()
        try await Stage.run(log: log, decorate: { $0.caching(policy: .shared) }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            let fields = "Cache-Control: max-age=0, stale-if-error=60\r\nETag: \"1\"\r\nContent-Length: 3"
            try await origin.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabc")
            _ = await client.read(until: "abc")
            #expect(log.entries.filter { $0.level == .warning }.isEmpty)
            try await client.send(get)
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 200 "))
            #expect(await client.read(until: "abc") == "abc")
        }
        #expect(
            log.entries.filter { $0.level == .warning }.map { "\($0.message)" } == [
                "The origin failed, and what is stored stands in for its answer."
            ]
        )
    }

    @Test
    func `an origin that cannot be reached, or does not speak HTTP, is 502`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            for answer in ["", "SSH-2.0\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n"] {
                try await client.send(get)
                let origin = try await stage.accept()
                _ = await origin.readHead()
                if !answer.isEmpty { try await origin.send(answer) }
                try await origin.close()
                let head = await client.readHead()
                #expect(head.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"), "after \(answer)")
                #expect(head.contains("application/problem+json"))
                #expect(await client.read(until: "}").contains("502"))
            }
        }
        let unreachable = try #require(URL(string: "http://127.0.0.1:1"))
        let client = try OriginClient(Origin(unreachable))
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await client.send(.init(method: .get, url: unreachable))
        }
        guard case .connectionFailed = try #require(error).reason else {
            Issue.record("expected connectionFailed, found \(String(describing: error))")
            return
        }
        #expect(error?.isUnsent == true)
        try await Stage.run(decorate: { _ in client }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            #expect(await client.readHead().hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        }
    }

    @Test
    func `an origin that lets nobody connect is 504`() async throws {
        // A queue of connections that nobody takes, which is full soon.
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let url = try #require(URL(string: "http://127.0.0.1:\(listener.localAddress?.port ?? 0)"))
        let client = try OriginClient(
            Origin(url),
            settings: OriginSettings(connectTimeout: .milliseconds(200), timeout: .seconds(50))
        )
        var waiting: [any Channel] = []
        while waiting.count < 64 {
            let connecting = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.milliseconds(200))
                .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0)
            guard let channel = try? await connecting.get() else { break }
            waiting.append(channel)
        }
        try await Stage.run(decorate: { _ in client }) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            #expect(await client.readHead().hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
        }
        for channel in waiting { try? await channel.close() }
        try await listener.close()
    }

    @Test(arguments: ["gzip, chunked", "gzip", "X-Gzip", "a, Deflate", "compress"])
    func `an answer in a coding that is not undone is 502`(coding: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        }
    }

    @Test(arguments: [63, 64, 65])
    func `interim answers without end are 502`(count: Int) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            for number in 1...min(count, 64) {
                try await origin.send("HTTP/1.1 103 Early Hints\r\nX-Number: \(number)\r\n\r\n")
                #expect(await client.readHead().contains("X-Number: \(number)\r\n"))
            }
            if count > 64 { try await origin.send("HTTP/1.1 103 Early Hints\r\n\r\n") }
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readHead().hasPrefix(count > 64 ? "HTTP/1.1 502 " : "HTTP/1.1 200 "))
        }
    }

    @Test(arguments: ["000", "001", "099"])
    func `an answer whose status is none is 502`(status: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 \(status) OK\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 502 "))
        }
    }

    // In a microsecond no request is sent: the time counts from when one was.
    @Test(arguments: [.milliseconds(100), .microseconds(1)] as [Duration])
    func `an origin that stands still is 504`(timeout: Duration) async throws {
        try await Stage.run(settings: OriginSettings(timeout: timeout)) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            #expect(await client.readHead().hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
            #expect(await origin.readToEnd().hasPrefix("GET / "))
        }
    }

    /// A connection that has served a request, and the second request on it, which its origin has read.
    private func askTwice(
        _ request: String,
        _ stage: Stage
    ) async throws -> (client: Peer, origin: Peer) {
        let client = try await stage.connect()
        try await client.send(get)
        let origin = try await stage.accept()
        _ = await origin.readHead()
        try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = await client.readHead()
        try await client.send(request)
        _ = await origin.readHead()
        return (client, origin)
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS"])
    func `what changes nothing is sent again when its connection was being closed`(method: String) async throws {
        try await Stage.run { stage in
            let request = "\(method) /again HTTP/1.1\r\nHost: a\r\n\r\n"
            let (client, origin) = try await askTwice(request, stage)
            try await origin.close()
            let another = try await stage.accept()
            #expect(await another.readHead().hasPrefix("\(method) /again "))
            try await another.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        arguments: [
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", ""),
            ("DELETE /x HTTP/1.1\r\nHost: a\r\n\r\n", ""),
            ("GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"),
            ("GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-"),
        ]
    )
    func `what changes something, or was answered in part, is not sent again`(request: String, begun: String)
        async throws
    {
        try await Stage.run { stage in
            let (client, origin) = try await askTwice(request, stage)
            if !begun.isEmpty { try await origin.send(begun) }
            if begun.contains("103") { _ = await client.readHead() }
            try await origin.close()
            #expect(await client.readHead().hasPrefix("HTTP/1.1 502 "))
            _ = await client.read(until: "}")

            // The next one goes on a connection of its own.
            try await client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            let another = try await stage.accept()
            #expect(await another.readHead().hasPrefix("GET /next "))
        }
    }

    @Test
    func `a connection that breaks at once is not tried for ever`() async throws {
        try await Stage.run { stage in
            let (client, origin) = try await askTwice(get, stage)
            try await origin.close()
            let another = try await stage.accept()
            _ = await another.readHead()
            try await another.close()
            #expect(await client.readHead().hasPrefix("HTTP/1.1 502 "))
        }
    }

    @Test(arguments: ["Connection: close\r\n", "X: 1\r\n"])
    func `a connection is used again only while both sides keep it`(field: String) async throws {
        try await Stage.run(settings: OriginSettings(keepAlive: .milliseconds(1))) { stage in
            let client = try await stage.connect()
            try await client.send(get)
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\n\(field)Content-Length: 0\r\n\r\n")
            _ = await client.readHead()
            #expect(await origin.readToEnd().isEmpty)
            try await client.send(get)
            let another = try await stage.accept()
            #expect(await another.readHead().hasPrefix("GET / "))
        }
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nHost: a\r\nVia: 1.1 a,1.1 feed (x)\r\n\r\n", 508),
            ("NOSUCH / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n", 431),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", 501),
        ]
    )
    func `what cannot be sent on is refused`(request: String, status: Int) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(request)
            #expect(await client.readHead().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test
    func `an answer with a head beyond the limit is 502`() async throws {
        for (size, status) in [(999, 200), (1_000, 200), (1_001, 502)] {
            try await Stage.run(settings: OriginSettings(headerSize: 1_000)) { stage in
                let client = try await stage.connect()
                try await client.send(get)
                let origin = try await stage.accept()
                _ = await origin.readHead()
                let length = "Content-Length: 0\r\n"
                let filler = String(repeating: "x", count: size - "Content-Length0".count - 1)
                try await origin.send("HTTP/1.1 200 OK\r\n\(length)X: \(filler)\r\n\r\n")
                #expect(await client.readHead().hasPrefix("HTTP/1.1 \(status) "), "\(size) bytes")
            }
        }
    }
}
