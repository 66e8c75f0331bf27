import DuetHTTP
import DuetHummingbird
import FeedProxy
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// What clients may take of a proxy is bounded, in time too.
@Suite(.timeLimit(.minutes(5)))
struct LimitTests {
    @Test
    func `a head that never ends ends the connection, however steadily it comes`() async throws {
        try await Stage.run(limits: ServerLimits(headerSize: 10_000_000, idleTimeout: .milliseconds(200))) { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nX: ")
            #expect(await client.send(Array("x".utf8), atMost: 5_000_000) < 5_000_000)
        }
    }

    @Test(
        arguments: [
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: upgrade\r\nUpgrade: x\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        ]
    )
    func `what the parser makes nothing of is not taken without end`(head: String) async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send(head)
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
            #expect(await client.send(piece, atMost: 100) < 100)
        }
    }

    @Test
    func `answers without a body wait for a client that does not read them`() async throws {
        let origin = LargeHeads()
        let limits = ServerLimits(writeTimeout: .milliseconds(500))
        try await Stage.run(limits: limits, decorate: { _ in origin }) { stage in
            let client = try await stage.connect()
            try await client.channel.setOption(.autoRead, value: false).get()
            let requests = String(repeating: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", count: 100)
            // It is let go of, because it reads nothing.
            _ = await client.send(Array(requests.utf8), atMost: 200)
            // What the system holds for it are a few megabytes.
            #expect(origin.count < 3_000)
        }
    }

    @Test
    func `a request after the last answer keeps no connection`() async throws {
        let limits = ServerLimits(connections: 1, idleTimeout: .milliseconds(300))
        try await Stage.run(limits: limits, decorate: { _ in LargeHeads() }) { stage in
            let client = try await stage.connect()
            let request = "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
            try await client.send(request + request)
            #expect(await client.readToEnd().components(separatedBy: "HTTP/1.1 200").count == 2)
            // Who comes next has to wait until the other has gone.
            let next = try await stage.connect()
            try await next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await next.readHead().hasPrefix("HTTP/1.1 200"))
            try await client.close()
        }
    }

    @Test
    func `a request whose body waits for an answer to the one before does not end that`() async throws {
        try await Stage.run(limits: ServerLimits(idleTimeout: .milliseconds(300))) { stage in
            let client = try await stage.connect()
            try await client.send(
                "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPUT /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n123"
            )
            let origin = try await stage.accept()
            _ = await origin.readHead()
            // Longer than a client may be idle.
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            origin.channel.eventLoop.scheduleTask(in: .milliseconds(1_000)) { [channel = origin.channel] in
                channel.writeAndFlush(answer, promise: nil)
            }
            #expect(await client.read(until: "abc").hasSuffix("\r\n\r\nabc"))
        }
    }

    @Test
    func `after an interim answer too a body that does not come is 408`() async throws {
        // Long enough for the interim answer to come before on a busy machine.
        try await Stage.run(limits: ServerLimits(bodyTimeout: .seconds(3))) { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(await client.readHead().hasPrefix("HTTP/1.1 100 "))
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test
    func `asked to end, it says so in the answer and not in an interim one`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await stage.shutDown()
            try await origin.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            #expect(await !client.readHead().lowercased().contains("connection"))
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            let answer = await client.readToEnd()
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n") && answer.hasSuffix("abc"))
        }
    }

    @Test
    func `asked to end, it lets its last answer arrive, whatever the client sends meanwhile`() async throws {
        let body = String(repeating: "x", count: 100_000)
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\nx")
            _ = await client.readHead()
            try await client.channel.setOption(.autoRead, value: false).get()
            try await origin.send(String(body.dropFirst()))
            try await stage.shutDown()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await client.channel.setOption(.autoRead, value: true).get()
            #expect(await client.readToEnd().hasSuffix(body))
            #expect(!client.isBroken)
        }
    }

    @Test
    func `a connection on which nothing is asked ends`() async throws {
        try await Stage.run(limits: ServerLimits(idleTimeout: .milliseconds(100))) { stage in
            let client = try await stage.connect()
            #expect(await client.readToEnd() == "")
        }
    }

    @Test(
        arguments: [
            // The first counts from when the connection is there: long enough for a request to come on a busy machine.
            ServerLimits(idleTimeout: .seconds(3)), ServerLimits(bodyTimeout: .milliseconds(100)),
        ]
    )
    func `a body that does not come is 408`(limits: ServerLimits) async throws {
        try await Stage.run(limits: limits) { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test
    func `an origin is not said to stand still while the rest of a request is awaited`() async throws {
        let limits = ServerLimits(bodyTimeout: .seconds(1))
        try await Stage.run(settings: OriginSettings(timeout: .milliseconds(200)), limits: limits) { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            let origin = try await stage.accept()
            _ = await origin.read(until: "abc")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test
    func `an origin that never begins to speak TLS stands still, whoever sends it a body`() async throws {
        try await Stage.run(scheme: "https", settings: OriginSettings(timeout: .milliseconds(200))) { stage in
            let client = try await stage.connect()
            try await client.send(
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            )
            let origin = try await stage.accept()
            #expect(await client.readHead().hasPrefix("HTTP/1.1 504 "))
            try await origin.close()
        }
    }

    @Test
    func `asked to end, it answers what it was asked, and keeps no connection`() async throws {
        try await Stage.run { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await stage.shutDown()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            #expect(await client.readToEnd().hasSuffix("\r\n\r\nabc"))
        }
    }

    @Test
    func `an origin is not said to stand still while its client does`() async throws {
        try await Stage.run(settings: OriginSettings(timeout: .seconds(1), keepAlive: .seconds(60))) { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await client.channel.setOption(.autoRead, value: false).get()
            let bytes = [UInt8](repeating: 7, count: 50_000_000)
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            async let sent: Void = origin.send(bytes)
            // It is this time that must not count.
            client.channel.eventLoop.scheduleTask(in: .milliseconds(2_500)) { [channel = client.channel] in
                _ = channel.setOption(.autoRead, value: true)
            }
            _ = await client.readHead()
            #expect(await client.read(bytes.count).count == bytes.count)
            try await sent
        }
    }

    @Test
    func `a client that reads nothing of its answer is let go of`() async throws {
        try await Stage.run(limits: ServerLimits(writeTimeout: .milliseconds(100))) { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            try await client.channel.setOption(.autoRead, value: false).get()
            try await origin.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 1_000_000)
            #expect(await origin.send(piece, atMost: 1_000) < 1_000)
        }
    }
}

/// Answers each request at once, with 8 kB of fields and no body.
private final class LargeHeads: HTTPClient {
    private let asked = Atomic(0)

    var count: Int { asked.load(ordering: .relaxed) }

    func send(_ request: HTTPRequest, body _: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        asked.add(1, ordering: .relaxed)
        let fields: HTTPFields = [.server: String(repeating: "x", count: 8_000), .contentLength: "0"]
        return (HTTPResponse(status: .ok, headerFields: fields), HTTPBody(Data()))
    }
}
