import DuetHummingbird
import NIOCore
import NIOHTTP1
import Testing

/// The time between the last response and the end of the connection (RFC 9112, section 9.6), without sockets.
@Suite
struct DrainTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private let put = "PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 900000\r\n\r\n"
    private let moment = Duration.milliseconds(1)

    /// Opens a connection on which the server has sent its last response to an incomplete request.
    private func drain(_ limits: ServerLimits = ServerLimits(), use: (EmbeddedConnection) throws -> Void) throws {
        try EmbeddedConnection.open(limits) { connection in
            try connection.send(put)
            connection.respond(.payloadTooLarge)
            connection.close(.output)
            #expect(connection.isOpen && connection.isFinished)
            #expect(try connection.received().hasPrefix("HTTP/1.1 413 "))
            _ = try connection.delivered()
            try use(connection)
        }
    }

    @Test
    func `a client that closes its half ends the connection`() throws {
        try drain { connection in
            connection.finishSending()
            #expect(!connection.isOpen)
        }
    }

    @Test
    func `a client has the drain timeout to close its half`() throws {
        try drain(ServerLimits(drainTimeout: .seconds(5))) { connection in
            for _ in 1...4 {
                connection.pass(.seconds(1))
                try connection.send("x")
            }
            connection.pass(.seconds(1) - moment)
            #expect(connection.isOpen)
            connection.pass(moment)
            #expect(!connection.isOpen)
            #expect(try connection.received() == "")
        }
    }

    @Test(arguments: [(999, true), (1_000, true), (1_001, false)])
    func `a client may send the drain size and no more`(size: Int, isOpen: Bool) throws {
        try drain(ServerLimits(drainSize: 1_000)) { connection in
            try connection.send(String(repeating: "x", count: 500))
            // When the connection closes, the parser reports that the request is incomplete.
            try? connection.send(String(repeating: "x", count: size - 500))
            #expect(connection.isOpen == isOpen)
        }
    }

    @Test
    func `whatever arrives is read and discarded`() throws {
        try drain { connection in
            let reads = connection.reads
            for text in [String(repeating: "x", count: 900_000), get, "nonsense\r\n\r\n"] { try connection.send(text) }
            #expect(connection.isOpen)
            #expect(connection.reads == reads + 3)
            #expect(try connection.delivered() == 0)
        }
    }

    @Test
    func `the rest of the request is not late`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(1), bodyTimeout: .seconds(1), drainTimeout: .seconds(5))
        try drain(limits) { connection in
            connection.pass(.seconds(4))
            let text = try connection.received()
            #expect(connection.isOpen && text.isEmpty)
        }
    }

    @Test
    func `the drain timeout begins when the client has the response`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(10), writeTimeout: .seconds(30), drainTimeout: .seconds(5))
        try EmbeddedConnection.open(limits) { connection in
            connection.pause()
            try connection.send(put)
            connection.respond(.payloadTooLarge)
            connection.close(.output)
            connection.pass(.seconds(20))
            try connection.send("x")
            #expect(connection.isOpen && !connection.isFinished)
            try connection.resume()
            connection.pass(.seconds(5) - moment)
            #expect(connection.isOpen && connection.isFinished)
            connection.pass(moment)
            #expect(!connection.isOpen)
        }
    }

    @Test
    func `a client that closes its half before it has the response gets it`() throws {
        try EmbeddedConnection.open(ServerLimits()) { connection in
            connection.pause()
            try connection.send(get)
            connection.respond()
            connection.close(.output)
            connection.finishSending()
            #expect(connection.isOpen)
            try connection.resume()
            #expect(try connection.received().hasSuffix("hello\r\n0\r\n\r\n"))
        }
    }

    @Test(arguments: [CloseMode.input, .all])
    func `a server that is canceled does not wait`(mode: CloseMode) throws {
        try drain { connection in
            connection.close(mode)
            #expect(!connection.isOpen)
        }
    }

    @Test
    func `a server that shuts down waits for the client of its last response`() throws {
        try EmbeddedConnection.open(ServerLimits(drainTimeout: .seconds(5))) { connection in
            try connection.send(get)
            connection.quiesce()
            connection.respond()
            connection.close(.all)
            #expect(connection.isOpen && connection.isFinished)
            connection.pass(.seconds(5))
            #expect(!connection.isOpen)
        }
    }

    @Test
    func `a server that shuts down closes idle connections at once`() throws {
        try EmbeddedConnection.open(ServerLimits()) { connection in
            connection.quiesce()
            connection.close(.all)
            #expect(!connection.isOpen)
        }
        try EmbeddedConnection.open(ServerLimits()) { connection in
            try connection.send(get)
            connection.respond()
            connection.quiesce()
            connection.close(.all)
            #expect(!connection.isOpen)
        }
    }

    @Test
    func `input that is not HTTP is refused, and the rest of it discarded`() throws {
        try EmbeddedConnection.open(ServerLimits(drainSize: 1_000)) { connection in
            #expect(throws: (any Error).self) { try connection.send("nonsense\r\n\r\n") }
            try connection.send(String(repeating: "x", count: 1_000))
            connection.respond(.badRequest)
            connection.close(.output)
            #expect(connection.isOpen)
            #expect(try connection.received().hasPrefix("HTTP/1.1 400 "))
            try connection.send("x")
            #expect(!connection.isOpen)
        }
    }
}
