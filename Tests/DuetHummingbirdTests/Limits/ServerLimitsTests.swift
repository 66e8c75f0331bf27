import DuetHummingbird
import Hummingbird
import NIOCore
import Testing

/// What a client cannot do to a server, over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct ServerLimitsTests {
    private let router = Router()

    init() {
        router.get("/") { _, _ in "hello" }
        router.post("/") { request, _ in
            let body = try await request.body.collect(upTo: 1_000)
            return "\(body.readableBytes) bytes"
        }
    }

    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test
    func `requests on one connection are answered in order, pipelined or not`() async throws {
        try await withServer(router) { [get] port in
            try await RawConnection.open(port) { connection in
                for _ in 1...3 {
                    try await connection.send(get)
                    let answer = await connection.read(until: "hello")
                    #expect(answer.hasPrefix("HTTP/1.1 200 "))
                }
                try await connection.send(get + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" + get)
                let answers = await connection.read(until: "2 bytes")
                #expect(answers.contains("hello"))
            }
        }
    }

    @Test
    func `a connection that says nothing is closed`() async throws {
        try await withServer(router, limits: ServerLimits(idleTimeout: .milliseconds(50))) { port in
            try await RawConnection.open(port) { connection in
                let text = await connection.readToEnd()
                #expect(text == "")
            }
        }
    }

    @Test
    func `a connection on which nothing more is asked is closed`() async throws {
        try await withServer(router, limits: ServerLimits(idleTimeout: .seconds(2))) { [get] port in
            try await RawConnection.open(port) { connection in
                try await connection.send(get)
                let answer = await connection.readToEnd()
                #expect(answer.hasSuffix("hello"))
            }
        }
    }

    @Test(arguments: ["GET / HT", "GET / HTTP/1.1\r\nHost: a\r\nX"])
    func `a head that is never whole is given up, however slowly it drips`(start: String) async throws {
        try await withServer(router, limits: ServerLimits(idleTimeout: .milliseconds(100))) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send(start)
                try await drip("x", into: connection)
            }
        }
    }

    @Test
    func `a body that is never whole is given up, however slowly it drips`() async throws {
        let limits = ServerLimits(idleTimeout: .seconds(30), bodyTimeout: .milliseconds(100))
        try await withServer(router, limits: limits) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n")
                try await drip("x", into: connection)
            }
        }
    }

    @Test
    func `a body that pauses is given up`() async throws {
        let limits = ServerLimits(idleTimeout: .milliseconds(50), bodyTimeout: .seconds(30))
        try await withServer(router, limits: limits) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\nabc")
                _ = await connection.readToEnd()
            }
        }
    }

    @Test(arguments: [(-1, "200"), (0, "200"), (1, "400")])
    func `fields may have so many bytes and no more`(excess: Int, status: String) async throws {
        let limit = 1_024
        try await withServer(router, limits: ServerLimits(headerSize: limit)) { port in
            try await RawConnection.open(port) { connection in
                // Name and value of both fields count, and nothing else.
                let others = "Hosta" + "X-Filler"
                let filler = String(repeating: "x", count: limit - others.utf8.count + excess)
                try await connection.send("GET / HTTP/1.1\r\nHost: a\r\nX-Filler: \(filler)\r\n\r\n")
                let answer = await connection.read(until: "\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }

    @Test(arguments: [(9, "200"), (10, "200"), (11, "400")])
    func `there may be so many fields and no more`(count: Int, status: String) async throws {
        try await withServer(router, limits: ServerLimits(headerCount: 10)) { port in
            try await RawConnection.open(port) { connection in
                let fields = (1..<count).map { "X-\($0): x\r\n" }.joined()
                try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                let answer = await connection.read(until: "\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }

    @Test
    func `a connection too many is answered when another one ends`() async throws {
        try await withServer(router, limits: ServerLimits(connections: 1)) { [get] port in
            try await RawConnection.open(port) { first in
                try await first.send(get)
                _ = await first.read(until: "hello")
                try await RawConnection.open(port) { second in
                    try await second.send(get)
                    async let answer = second.read(until: "hello")
                    // The first one is still served while the second one waits.
                    try await first.send(get)
                    _ = await first.read(until: "hello")
                    try await first.close()
                    let text = await answer
                    #expect(text.hasSuffix("hello"))
                }
            }
        }
    }
}

/// Sends a byte every few milliseconds until the server has closed the connection.
private func drip(_ byte: String, into connection: RawConnection) async throws {
    let channel = connection.channel
    let dripping = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
        channel.writeAndFlush(ByteBuffer(string: byte), promise: nil)
    }
    _ = await connection.readToEnd()
    dripping.cancel()
}
