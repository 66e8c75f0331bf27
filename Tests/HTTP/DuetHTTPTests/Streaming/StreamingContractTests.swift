import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamingContractTests {
    /// Each decorator alone, and all of them in the documented order.
    enum Layers: CaseIterable {
        case retry
        case bearer
        case redirects
        case deadline
        case log
        case bodyLimit
        case concurrencyLimit
        case all

        func around(_ client: any HTTPClient) throws -> any HTTPClient {
            switch self {
            case .retry: client.retrying(.atOnce)
            case .bearer: client.authenticated(by: Tokens(), at: try server())
            case .redirects: client.followingRedirects()
            case .deadline: client.deadline(.seconds(10), clock: ManualClock())
            case .log: client.logging { _ in }
            case .bodyLimit: client.limiting(bodySize: 1_000)
            case .concurrencyLimit: client.limiting(concurrency: 1)
            case .all:
                try Self.allCases.filter { $0 != .all }.reduce(client) { try $1.around($0) }
            }
        }
    }

    @Test(arguments: Layers.allCases, HTTPStreamingContract.allCases)
    func `bodies pass as they arrive`(layers: Layers, clause: HTTPStreamingContract) async throws {
        try await clause.verify { try layers.around($0) }
    }

    @Test func `bodies stream past a decorator that a message bypasses`() async throws {
        var options = HTTPRequestOptions()
        options.bypassedDecorators = [PassingDecorator.self]
        for clause in HTTPStreamingContract.allCases {
            try await options.use { try await clause.verify { PassingDecorator(base: $0) } }
        }
    }

    @Test(arguments: Layers.allCases)
    func `a body that the adapter collected stays whole`(layers: Layers) async throws {
        let origin = HeldOrigin()
        origin.gate.open()
        let client = try layers.around(origin)
        var options = HTTPRequestOptions()
        options.collectsBody = true
        let (_, body) = try await options.use { try await client.send(request()) }
        #expect(body.whole == HeldOrigin.first + HeldOrigin.rest)
    }

    @Test func `a client that sends only whole bodies collects them up to 16 MiB`() async throws {
        let server = StubClient { sent in answer(body: "got \(sent.body?.count ?? 0)") }
        let (_, body) = try await server.send(request(.post), body: HTTPBody(Data(count: 17 << 20)))
        #expect(body.whole == Data("got \(17 << 20)".utf8))
        let pieces = AsyncStream<Data> { pieces in
            for _ in 1...16 { pieces.yield(Data(count: 1 << 20)) }
            pieces.yield(Data(count: 1))
            pieces.finish()
        }
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await server.send(request(.post), body: HTTPBody(pieces))
        }
        #expect(error?.name == "invalidRequest")
        #expect(server.sent.count == 1)
    }
}
