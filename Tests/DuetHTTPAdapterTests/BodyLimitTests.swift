import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BodyLimitTests {
    /// How the server says where a body ends.
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

    @Test(arguments: Framing.allCases, [limit - 1, limit])
    func `a body up to the limit arrives`(framing: Framing, size: Int) async throws {
        let body = String(repeating: "x", count: size)
        try await withServer(
            { _ in framing.steps(body) },
            configuration: .init(maximumBodySize: Self.limit)
        ) { server, client in
            try await #expect(client.send(server.request()).1 == Data(body.utf8))
        }
    }

    @Test(arguments: Framing.allCases)
    func `a body one byte over the limit is refused`(framing: Framing) async throws {
        let body = String(repeating: "x", count: Self.limit + 1)
        try await expectTooLarge(framing.steps(body))
    }

    @Test func `a length over the limit is refused before the body comes`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.limit + 1)\r\n\r\n"
        try await expectTooLarge([.text(head)], isUnfinished: true)
    }

    @Test func `a body without end is refused and its connection closed`() async throws {
        let chunk = Array("400\r\n\(String(repeating: "x", count: 0x400))\r\n".utf8)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await expectTooLarge([.text(head), .endless(chunk)], isUnfinished: true)
    }

    private func expectTooLarge(_ steps: [Step], isUnfinished: Bool = false) async throws {
        try await withServer(
            { _ in steps },
            configuration: .init(maximumBodySize: Self.limit)
        ) { server, client in
            let error = await #expect(throws: HTTPClientError.self) { try await client.send(server.request()) }
            guard case .bodyTooLarge(_, Self.limit)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            guard isUnfinished else { return }
            await server.log.until { $0.open == 0 }
        }
    }
}
