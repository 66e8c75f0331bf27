import DuetHTTP
import DuetHummingbird
import Hummingbird
import InMemoryLogging
import Logging
import NIOCore
import TestSupport
import Testing

/// Limits on what a client may take from a server, over real sockets.
@Suite(.timeLimit(.minutes(5)))
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
    func `the defaults are those of the table of limits`() {
        let (server, mount, live) = (ServerLimits(), MountOptions(), LiveOptions())
        #expect(server.bodyMemory == 128 << 20)
        #expect(server.writeRate == 1_024)
        #expect(mount.maximumJSONBody == 64 << 10)
        #expect(mount.maximumBytesBody == 16 << 20)
        #expect(mount.maximumDuration == nil)
        #expect(mount.anonymousCommands == nil)
        #expect(live.streamsPerClient == 32)
        #expect(live.streams == 2_000)
    }

    @Test(arguments: [(1, 1), (64, 64), (65, 64), (3_000, 64)])
    func `of requests that are sent at once, the first 64 are answered`(sent: Int, answered: Int) async throws {
        try await withServer(router.buildResponder()) { [get] port in
            let text = try await RawConnection.open(port) { connection in
                // The last one that is answered says so, and otherwise the server closes the connection. A line end is
                // one character.
                let last = sent > 64 ? get : get.dropLast() + "Connection: close\r\n\r\n"
                try await connection.send(String(repeating: get, count: sent - 1) + last)
                return await connection.readToEnd()
            }
            #expect(text.matches(of: /HTTP\/1\.1 200 OK/).count == answered)
            #expect(text.hasSuffix("hello"))
        }
    }

    @Test(arguments: [(1_024, 480), (65_536, 4_096), (Int.max, 4_096), (64, 1), (0, 1)])
    func `there are no more connections than open files allow`(files: Int, connections: Int) {
        #expect(ServerLimits(connections: 4_096).connections(fittingInto: files) == connections)
    }

    @Test(arguments: [(Int.max, 1), (1, 0)])
    func `a lower number of connections is logged`(connections: Int, lines: Int) {
        let log = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in log }
        _ = Application(router: router, limits: ServerLimits(connections: connections), logger: logger)
        #expect(log.entries.count == lines)
        #expect(log.entries.allSatisfy { $0.message.description.contains("ulimit -n") })
    }

    @Test
    func `requests on one connection get their responses in order, pipelined or not`() async throws {
        try await withServer(router.buildResponder()) { [get] port in
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

    @Test(arguments: ["Content-Length: 900000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n100000\r\n"])
    func `a body that arrives too slowly is refused`(framing: String) async throws {
        let limits = ServerLimits(idleTimeout: .seconds(120), bodyTimeout: .milliseconds(100))
        let answer = try await withServer(router.buildResponder(), limits: limits) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send("POST / HTTP/1.1\r\nHost: a\r\n\(framing)")
                return await drip("x", into: connection)
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(answer.contains("application/problem+json"))
    }

    @Test
    func `a request that is refused for its head may still send its body`() async throws {
        let limits = ServerLimits(drainTimeout: .seconds(3_600))
        try await withServer(router.buildResponder(), limits: limits) { port in
            try await RawConnection.open(port) { connection in
                try await connection.send("POST / HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n")
                for _ in 1...50 { try await connection.send(String(repeating: "x", count: 100_000)) }
                #expect(await connection.readToEnd().hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test(arguments: [(-1, "200"), (0, "200"), (1, "431")])
    func `the fields of a request may have a limited number of bytes`(excess: Int, status: String) async throws {
        let limit = 1_024
        try await withServer(router.buildResponder(), limits: ServerLimits(headerSize: limit)) { port in
            try await RawConnection.open(port) { connection in
                // Only the names and values of the fields count.
                let others = "Hosta" + "X-Filler"
                let filler = String(repeating: "x", count: limit - others.utf8.count + excess)
                try await connection.send("GET / HTTP/1.1\r\nHost: a\r\nX-Filler: \(filler)\r\n\r\n")
                let answer = await connection.read(until: "\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }

    @Test(arguments: [(9, "200"), (10, "200"), (11, "431")])
    func `a request may have a limited number of fields`(count: Int, status: String) async throws {
        try await withServer(router.buildResponder(), limits: ServerLimits(headerCount: 10)) { port in
            try await RawConnection.open(port) { connection in
                let fields = (1..<count).map { "X-\($0): x\r\n" }.joined()
                try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                let answer = await connection.read(until: "\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                // Others must not get the error from a cache in front of the server.
                #expect(answer.lowercased().contains("cache-control: no-store") == (status == "431"))
            }
        }
    }

    @Test
    func `a connection above the limit is served when another one closes`() async throws {
        try await withServer(router.buildResponder(), limits: ServerLimits(connections: 1)) { [get] port in
            // The system delivers up to four at once, so the fifth is the first that must wait.
            try await withConnections(5, to: port) { connections in
                for connection in connections { try await connection.send(get) }
                for _ in 1...20 {
                    _ = await connections[0].read(until: "hello")
                    try await connections[0].send(get)
                }
                #expect(connections[4].receivedBytes == 0)
                for connection in connections.dropLast() { try await connection.close() }
                #expect(await connections[4].read(until: "hello").hasSuffix("hello"))
            }
        }
    }
}

/// Opens connections one after the other.
private func withConnections(
    _ count: Int,
    to port: Int,
    _ opened: [RawConnection] = [],
    use: ([RawConnection]) async throws -> Void
) async throws {
    guard opened.count < count else { return try await use(opened) }
    try await RawConnection.open(port) { connection in
        try await withConnections(count, to: port, opened + [connection], use: use)
    }
}

/// Sends a byte every few milliseconds until the server has closed the connection, and returns its response.
private func drip(_ byte: String, into connection: RawConnection) async -> String {
    let channel = connection.channel
    let dripping = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
        channel.writeAndFlush(ByteBuffer(string: byte), promise: nil)
    }
    defer { dripping.cancel() }
    return await connection.readToEnd()
}
