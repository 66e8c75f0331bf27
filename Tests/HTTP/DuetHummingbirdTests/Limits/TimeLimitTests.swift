import DuetHummingbird
import Foundation
import NIOHTTP1
import Testing

/// How long a client may take, without sockets and without waiting.
@Suite
struct TimeLimitTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private let put = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n"
    private let moment = Duration.milliseconds(1)

    @Test
    func `a connection without a request is closed after the idle timeout`() throws {
        try EmbeddedConnection.open(ServerLimits(idleTimeout: .seconds(75))) { connection in
            connection.pass(.seconds(75) - moment)
            #expect(connection.isOpen)
            connection.pass(moment)
            let text = try connection.received()
            #expect(!connection.isOpen && text.isEmpty)
        }
    }

    @Test
    func `idleness is measured from the end of the last response`() throws {
        try EmbeddedConnection.open(ServerLimits(idleTimeout: .seconds(75))) { connection in
            connection.pass(.seconds(10))
            try connection.send(get)
            connection.pass(.seconds(40))
            connection.respond()
            connection.pass(.seconds(75) - moment)
            #expect(connection.isOpen)
            connection.pass(moment)
            #expect(!connection.isOpen)
            #expect(try connection.received().hasSuffix("hello\r\n0\r\n\r\n"))
        }
    }

    @Test
    func `a connection is not idle while its request is handled`() throws {
        try EmbeddedConnection.open(ServerLimits(idleTimeout: .seconds(1), bodyTimeout: .seconds(1))) { connection in
            try connection.send(get)
            connection.pass(.seconds(1_000))
            #expect(connection.isOpen)
        }
    }

    @Test(arguments: ["GET /", "GET / HTTP/1.1\r\nHost: a\r\nX"])
    func `a head must arrive within the idle timeout, however steadily it drips`(start: String) throws {
        try EmbeddedConnection.open(ServerLimits(idleTimeout: .seconds(75))) { connection in
            try connection.send(start)
            for _ in 1...74 {
                connection.pass(.seconds(1))
                try connection.send("x")
            }
            #expect(connection.isOpen)
            connection.pass(.seconds(1))
            #expect(!connection.isOpen)
            #expect(try connection.received() == "")
        }
    }

    @Test(arguments: ["Content-Length: 900000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n100000\r\n"])
    func `a body must arrive within the body timeout, however steadily it drips`(framing: String) throws {
        let limits = ServerLimits(idleTimeout: .seconds(5), bodyTimeout: .seconds(60))
        try EmbeddedConnection.open(limits) { connection in
            try connection.send("PUT / HTTP/1.1\r\nHost: a\r\n\(framing)")
            for _ in 1...59 {
                connection.pass(.seconds(1))
                try connection.send("x")
            }
            connection.pass(.seconds(1) - moment)
            #expect(connection.isOpen)
            #expect(try connection.received() == "")
            connection.pass(moment)
            #expect(!connection.isOpen)
            #expect(try connection.received().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test
    func `a body may pause no longer than the idle timeout`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(5), bodyTimeout: .seconds(60))
        try EmbeddedConnection.open(limits) { connection in
            try connection.send(put)
            connection.pass(.seconds(3))
            try connection.send("x")
            connection.pass(.seconds(5) - moment)
            #expect(connection.isOpen)
            connection.pass(moment)
            #expect(!connection.isOpen)
            #expect(try connection.received().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test
    func `idle and body timeouts that are due together refuse a request once`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(5), bodyTimeout: .seconds(5))
        try EmbeddedConnection.open(limits) { connection in
            try connection.send(put)
            connection.pass(.seconds(5))
            #expect(!connection.isOpen)
            #expect(try connection.received().components(separatedBy: "HTTP/1.1 ").count == 2)
        }
    }

    @Test
    func `a request that has its response is not refused later`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(600), bodyTimeout: .seconds(60))
        try EmbeddedConnection.open(limits) { connection in
            try connection.send(put)
            connection.respond(.notFound)
            connection.pass(.seconds(60) - moment)
            #expect(connection.isOpen)
            connection.pass(moment)
            #expect(!connection.isOpen)
            let text = try connection.received()
            #expect(text.hasPrefix("HTTP/1.1 404 ") && !text.contains("408"))
        }
    }

    @Test
    func `a body is not late while an earlier request is handled`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(600), bodyTimeout: .seconds(60))
        try EmbeddedConnection.open(limits) { connection in
            try connection.send(get + put)
            connection.pass(.seconds(1_000))
            #expect(connection.isOpen)
            connection.respond()
            _ = try connection.received()
            connection.pass(.seconds(60))
            #expect(!connection.isOpen)
            #expect(try connection.received().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test
    func `a client that reads slowly keeps its connection`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(10), writeTimeout: .seconds(10))
        try EmbeddedConnection.open(limits) { connection in
            connection.pause()
            try connection.send(get)
            connection.beginResponse()
            for _ in 1...20 {
                connection.write("piece")
                connection.pass(.seconds(9))
                try connection.readOnce()
            }
            #expect(connection.isOpen)
        }
    }

    @Test
    func `a client that has not read its last response is not idle`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(10), writeTimeout: .seconds(30))
        try EmbeddedConnection.open(limits) { connection in
            connection.pause()
            try connection.send(get)
            connection.respond()
            connection.pass(.seconds(29))
            #expect(connection.isOpen)
            try connection.resume()
            connection.pass(.seconds(10))
            #expect(!connection.isOpen)
        }
    }

    @Test
    func `a client that reads nothing loses its connection after the write timeout`() throws {
        let limits = ServerLimits(idleTimeout: .seconds(600), writeTimeout: .seconds(30))
        try EmbeddedConnection.open(limits) { connection in
            connection.pause()
            try connection.send(get)
            connection.respond()
            connection.pass(.seconds(30) - moment)
            #expect(connection.isOpen)
            connection.pass(moment)
            #expect(!connection.isOpen)
        }
    }
}
