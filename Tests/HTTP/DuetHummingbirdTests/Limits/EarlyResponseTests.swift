import DuetHummingbird
import Hummingbird
import TestSupport
import Testing

/// Clients that send a whole request before they read the response to it, over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct EarlyResponseTests {
    private static let size = 8_388_608
    /// Long enough for a busy machine.
    private let limits = ServerLimits(drainTimeout: .seconds(60))
    private let router: Router<BasicRequestContext>

    init() throws {
        router = try Router.notes(Notebook())
    }

    private func request(_ fields: String) -> String {
        """
        POST /v1/notes HTTP/1.1\r
        Host: a\r
        Content-Type: application/json\r
        Content-Length: \(Self.size)\r
        \(fields)\r

        """
    }

    /// Sends a request whose body is too large, and reads only after that.
    private func send(_ request: String, to connection: RawConnection) async throws {
        try await connection.pause()
        try await connection.send(request + String(repeating: "x", count: Self.size))
        try await connection.resume()
    }

    @Test(arguments: ["", "Expect: 100-continue\r\n"])
    func `a client that closes its connection reads that its body is too large`(fields: String) async throws {
        try await withServer(router.buildResponder(), limits: limits) { [self] port in
            try await RawConnection.open(port) { connection in
                try await send(request(fields + "Connection: close\r\n"), to: connection)
                let text = await connection.readToEnd()
                #expect(text.hasPrefix("HTTP/1.1 413 ") && text.hasSuffix("}"))
            }
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n", "Expect: 100-continue\r\n"])
    func `a client that keeps its connection reads it too, and may send another request`(fields: String) async throws {
        try await withServer(router.buildResponder(), limits: limits) { [self] port in
            try await RawConnection.open(port) { connection in
                try await send(request(fields), to: connection)
                #expect(await connection.read(until: "}").hasPrefix("HTTP/1.1 413 "))
                try await connection.send("GET /v1/notes HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await connection.read(until: "[]").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }
}
