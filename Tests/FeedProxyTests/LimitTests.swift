import DuetHummingbird
import FeedProxy
import NIOCore
import Testing

/// What clients may take of a proxy is bounded, in time too.
@Suite(.timeLimit(.minutes(1)))
struct LimitTests {
    @Test
    func `a head that never ends ends the connection, however steadily it comes`() async throws {
        try await Stage.run(limits: ServerLimits(headerSize: 10_000_000, idleTimeout: .milliseconds(200))) { stage in
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nX: ")
            var count = 0
            while count < 5_000_000, (try? await client.send("x")) != nil { count += 1 }
            #expect(count < 5_000_000)
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
            ServerLimits(idleTimeout: .milliseconds(100)), ServerLimits(bodyTimeout: .milliseconds(100)),
        ]
    )
    func `a body that does not come is 408, and the origin gets no more`(limits: ServerLimits) async throws {
        try await Stage.run(limits: limits) { stage in
            let client = try await stage.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            #expect(await client.readHead().hasPrefix("HTTP/1.1 408 "))
            #expect(await origin.read(3) == Array("abc".utf8))
            #expect(await origin.readToEnd().isEmpty)
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
            var count = 0
            while count < 1_000, (try? await origin.send(piece)) != nil { count += 1 }
            #expect(count < 1_000)
        }
    }
}
