import DuetHummingbird
import Foundation
import Hummingbird
import NIOCore
import TestSupport
import Testing

/// Clients that are slow to read a response, over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct SlowReaderTests {
    private static let size = 16_777_216
    private let router = Router(context: ConnectionContext.self)
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private let getBig = "GET /big HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Yields when the response to `/end` is complete.
    private let ends: AsyncStream<Void>

    init() {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        self.ends = ends
        router.get("/") { _, _ in "hello" }
        router.get("/big") { _, _ in ByteBuffer(repeating: UInt8(ascii: "x"), count: Self.size) }
        router.get("/end") { _, context in
            // As if the server were asked to shut down.
            context.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    // Until the client is behind: then a part of the complete response is unsent.
                    repeat {
                        try await writer.write(ByteBuffer(repeating: UInt8(ascii: "x"), count: 16_384))
                    } while try await context.channel.getOption(.bufferedWritableBytes).get() == 0
                    try await writer.finish(nil)
                    end.yield()
                }
            )
        }
    }

    @Test
    func `a client that does not read its responses loses its connection`() async throws {
        let limits = ServerLimits(connections: 1, idleTimeout: .seconds(120), writeTimeout: .milliseconds(100))
        try await withServer(router.buildResponder(), limits: limits) { [get, getBig] port in
            try await RawConnection.open(port, receiveBuffer: 65_536) { first in
                try await first.send(get)
                _ = await first.read(until: "hello")
                try await first.pause()
                try await first.send(getBig + getBig + getBig)
                // There is room for one connection: a response means that the other one is closed.
                try await RawConnection.open(port) { second in
                    try await second.send(get)
                    #expect(await second.read(until: "hello").hasSuffix("hello"))
                }
                // The client may already have noticed that its connection was reset.
                try? await first.resume()
                _ = await first.readToEnd()
                #expect(first.receivedBytes < Self.size)
            }
        }
    }

    @Test
    func `the connection of a client that does not read holds a few pieces of its response`() async throws {
        let (channels, channel) = AsyncStream.makeStream(of: (any Channel).self)
        router.get("/pieces") { _, context in
            channel.yield(context.channel)
            return Response(status: .ok, body: ResponseBody(data: Data(count: Self.size)))
        }
        let limits = ServerLimits(writeTimeout: .seconds(3_600))
        try await withServer(router.buildResponder(), limits: limits) { port in
            try await RawConnection.open(port, receiveBuffer: 4_096) { connection in
                try await connection.pause()
                try await connection.send("GET /pieces HTTP/1.1\r\nHost: a\r\n\r\n")
                let channel = try #require(await channels.first { _ in true })
                while try await channel.getOption(.bufferedWritableBytes).get() == 0 {}
                for _ in 1...200 {
                    let held = try await channel.getOption(.bufferedWritableBytes).get()
                    #expect(held <= 262_144)
                }
            }
        }
    }

    @Test
    func `a client that reads less than the rate loses its connection`() async throws {
        let limits = ServerLimits(writeTimeout: .milliseconds(20), writeRate: 10_000_000_000)
        try await withServer(router.buildResponder(), limits: limits) { port in
            try await RawConnection.open(port, receiveBuffer: 65_536) { connection in
                try await connection.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                // It reads all the time, but with pauses.
                while await !connection.read(until: "x").isEmpty {
                    try? await connection.pause()
                    try? await connection.resume()
                }
                #expect(connection.receivedBytes < Self.size)
            }
        }
    }

    @Test
    func `a client that is behind when the server shuts down gets its complete response`() async throws {
        try await withServer(router.buildResponder()) { [ends] port in
            try await RawConnection.open(port, receiveBuffer: 65_536) { connection in
                try await connection.pause()
                try await connection.send("GET /end HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = await ends.first { true }
                try await connection.resume()
                let answer = await connection.readToEnd()
                #expect(answer.hasSuffix("x\r\n0\r\n\r\n"))
            }
        }
    }
}
