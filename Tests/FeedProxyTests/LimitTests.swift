import DuetHummingbird
import FeedProxy
import NIOCore
import Testing

/// What clients may take of a proxy is bounded, in time too.
@Suite(.timeLimit(.minutes(5)))
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
    func `asked to end, it answers what it was asked, and keeps no connection`() async throws {
        try await Stage.run { stage in
            let idle = try await stage.connect()
            let client = try await stage.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try await stage.accept()
            _ = await origin.readHead()
            await stage.shutDown()
            #expect(await idle.readToEnd() == "")
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
            var count = 0
            while count < 1_000, (try? await origin.send(piece)) != nil { count += 1 }
            #expect(count < 1_000)
        }
    }
}
