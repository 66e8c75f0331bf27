import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BodyLimitTests {
    /// How the server delimits a body.
    enum Framing: CaseIterable {
        case length
        case chunks
        case close

        func steps(_ body: String) -> [Step] {
            switch self {
            case .length:
                [.answer(body: body)]
            case .chunks:
                [
                    .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                    .text("\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"),
                ]
            case .close:
                [.text("HTTP/1.1 200 OK\r\n\r\n\(body)"), .close]
            }
        }
    }

    private static let limit = 100_000

    @Test(arguments: Adapter.allCases, Framing.allCases)
    func `a body up to the limit arrives`(adapter: Adapter, framing: Framing) async throws {
        for size in [Self.limit - 1, Self.limit] {
            let body = String(repeating: "x", count: size)
            try await adapter.withServer({ _ in framing.steps(body) }, maximumBodySize: Self.limit) { server, client in
                try await #expect(client.data(for: server.request()).1 == Data(body.utf8))
            }
        }
    }

    @Test(arguments: Adapter.allCases, [(9, 100, true), (10, 100, true), (11, 100, false), (11, 10, false)])
    func `the smaller limit applies, the client's or the message's`(
        adapter: Adapter,
        asked: (size: Int, clientLimit: Int, arrives: Bool)
    ) async throws {
        let body = String(repeating: "x", count: asked.size)
        try await adapter.withServer({ _ in [.answer(body: body)] }, maximumBodySize: asked.clientLimit) {
            server,
            client in
            var options = HTTPRequestOptions()
            options.maximumBodySize = 10 + 100 - asked.clientLimit
            try await options.use {
                if asked.arrives {
                    let (_, data) = try await client.data(for: server.request())
                    #expect(data == Data(body.utf8))
                } else {
                    try await expect(.bodyTooLarge(limit: 10)) { try await client.data(for: server.request()) }
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases, Framing.allCases)
    func `the message's limit applies to a body in pieces`(
        adapter: Adapter,
        framing: Framing
    ) async throws {
        var options = HTTPRequestOptions()
        options.maximumBodySize = 10
        for size in [9, 10, 11] {
            let body = String(repeating: "x", count: size)
            try await adapter.withServer({ _ in framing.steps(body) }) { server, client in
                let read = {
                    let (response, body) = try await client.send(server.request(), body: nil)
                    return (response, try await body.collect(upTo: .max, orThrow: CancellationError()))
                }
                try await options.use {
                    if size > 10 {
                        try await expect(.bodyTooLarge(limit: 10), from: read)
                    } else {
                        let (_, data) = try await read()
                        #expect(data == Data(body.utf8))
                    }
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases, Framing.allCases)
    func `a body one byte over the limit is refused`(adapter: Adapter, framing: Framing) async throws {
        let body = String(repeating: "x", count: Self.limit + 1)
        try await expectTooLarge(adapter, framing.steps(body))
    }

    @Test(arguments: Adapter.allCases)
    func `a length over the limit is refused before the body comes`(adapter: Adapter) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.limit + 1)\r\n\r\n"
        try await expectTooLarge(adapter, [.text(head)], isUnfinished: true)
    }

    // libcurl keeps reading as long as there are bytes, see URLSessionHTTPClient.
    @Test(arguments: Adapter.allCases.filter { !$0.isURLSessionOnLinux })
    func `a body without end is refused and its connection closed`(adapter: Adapter) async throws {
        let chunk = Array("400\r\n\(String(repeating: "x", count: 0x400))\r\n".utf8)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await expectTooLarge(adapter, [.text(head), .endless(chunk)], isUnfinished: true)
    }

    private func expectTooLarge(
        _ adapter: Adapter,
        _ steps: [Step],
        isUnfinished: Bool = false
    ) async throws {
        try await adapter.withServer(
            { _ in steps },
            maximumBodySize: Self.limit
        ) { server, client in
            try await expect(.bodyTooLarge(limit: Self.limit)) { try await client.data(for: server.request()) }
            guard isUnfinished else { return }
            await server.log.until { $0.open == 0 }
        }
    }
}
