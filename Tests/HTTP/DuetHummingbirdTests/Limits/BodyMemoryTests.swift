import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestSupport
import Testing

/// The memory for the bodies of all requests of a server.
@Suite(.timeLimit(.minutes(5)))
struct BodyMemoryTests {
    private struct Keep: HTTPCommand, BodyCommand {
        static let route: CommandRoute<Self> = .put("things/{id}").bodyProperty("data")
        let id: Int
        let data: Data
        var body: HTTPBytes { HTTPBytes(data, mediaType: "application/octet-stream") }
    }

    private struct KeepHandler: CommandHandler {
        func handle(_ command: Keep) {}
    }

    private let router = Router()
    /// Yields the size of each body that a handler uses.
    private let sizes: AsyncStream<Int>
    /// Lets the waiting handlers end.
    private let gate = AsyncStream.makeStream(of: Void.self)

    init() throws {
        let (sizes, size) = AsyncStream.makeStream(of: Int.self)
        self.sizes = sizes
        router.post("/held") { [gate] request, _ in
            try await request.withBody(upTo: 1_000) { body in
                size.yield(body.count)
                for await _ in gate.stream { break }
                return "held \(body.count)"
            }
        }
        router.post("/read") { request, _ in
            try await request.withBody(upTo: 1_000) { "read \($0.count)" }
        }
        try router.mount(.open { Keep.self }, StandardDispatcher { KeepHandler() })
    }

    private func head(_ method: String = "POST /read", _ size: Int) -> String {
        "\(method) HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n"
    }

    private func answer(_ method: String, _ size: Int, _ port: Int) async throws -> String {
        try await RawConnection.open(port) { connection in
            try await connection.send(head(method, size) + String(repeating: "x", count: size))
            return await connection.read(until: "\r\n\r\n")
        }
    }

    @Test
    func `a body that does not fit beside the others is refused until they are gone`() async throws {
        try await withServer(router.buildResponder(), limits: ServerLimits(bodyMemory: 1_000)) { port in
            try await RawConnection.open(port) { first in
                try await first.send(head("POST /held", 600) + String(repeating: "x", count: 600))
                for await size in sizes where size == 600 { break }
                #expect(try await answer("POST /read", 400, port).hasPrefix("HTTP/1.1 200 "))
                for method in ["POST /read", "PUT /things/1"] {
                    let refused = try await answer(method, 401, port)
                    #expect(refused.hasPrefix("HTTP/1.1 503 "))
                    #expect(refused.contains("Retry-After: 1\r\n"))
                }
                gate.continuation.yield()
                #expect(await first.read(until: "held 600").hasSuffix("held 600"))
            }
            #expect(try await answer("POST /read", 1_000, port).hasPrefix("HTTP/1.1 200 "))
            #expect(try await answer("PUT /things/1", 1_000, port).hasPrefix("HTTP/1.1 204 "))
        }
    }

    @Test
    func `bytes that were announced and did not arrive use no memory`() async throws {
        try await withServer(router.buildResponder(), limits: ServerLimits(bodyMemory: 1_000)) { port in
            try await RawConnection.open(port) { first in
                try await first.send(head("POST /read", 1_000))
                #expect(try await answer("POST /read", 1_000, port).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test(arguments: ["POST /read", "PUT /things/1"])
    func `the memory of a body that is not completed or is too large is free again`(method: String) async throws {
        try await withServer(router.buildResponder(), limits: ServerLimits(bodyMemory: 1_000)) { port in
            try await RawConnection.open(port) { first in
                try await first.send(head(method, 1_000) + String(repeating: "x", count: 700))
            }
            try await waitForMemory(port)
            let chunk = "3E8\r\n" + String(repeating: "x", count: 1_000) + "\r\n1\r\nx\r\n0\r\n\r\n"
            try await RawConnection.open(port) { second in
                try await second.send("POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)
                #expect(await second.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
            }
            try await waitForMemory(port)
        }
    }

    /// Waits until all memory is free; the server notices a closed connection in its own time.
    private func waitForMemory(_ port: Int) async throws {
        while try await !answer("POST /read", 1_000, port).hasPrefix("HTTP/1.1 200 ") {}
    }

    @Test(arguments: [(999, 200), (1_000, 200), (1_001, 413)])
    func `a body may be as large as its handler says`(size: Int, status: Int) async throws {
        try await withServer(router.buildResponder()) { port in
            let answer = try await answer("POST /read", size, port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test
    func `a large response is sent in pieces and complete`() async throws {
        let data = Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 % 251) })
        router.get("/large") { _, _ in Response(status: .ok, body: ResponseBody(data: data.dropFirst(3))) }
        try await withServer(router.buildResponder()) { port in
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/large"))
            try await withNIOHTTPClient(clock: ManualClock()) { client in
                let (_, body) = try await client.data(for: HTTPRequest(method: .get, url: url))
                #expect(body == data.dropFirst(3))
            }
        }
    }
}
