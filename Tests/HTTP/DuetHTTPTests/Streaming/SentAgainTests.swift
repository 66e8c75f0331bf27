import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Intermediate responses, and request bodies that are sent again.
@Suite(.timeLimit(.minutes(5)))
struct SentAgainTests {
    private static let elsewhere: HTTPFields = [.location: "/b"]

    @Test func `a retry discards a response before it sends the request again`() async throws {
        let origin = HeldOrigin(statuses: 503, 503, 200)
        let (response, _) = try await origin.retrying(.atOnce).send(request(), body: nil)
        #expect(response.status == .ok)
        #expect(origin.heldBefore == [0, 0, 0])
    }

    @Test func `the last attempt's response is returned with its body`() async throws {
        let origin = HeldOrigin(statuses: 503)
        let (response, body) = try await origin.retrying(.atOnce).send(request(), body: nil)
        origin.gate.open()
        #expect(response.status == .serviceUnavailable)
        #expect(try await body.text() == "first, then the rest")
        #expect(origin.sent.count == 3)
    }

    @Test func `a body that breaks off is not requested again once its head was forwarded`() async throws {
        let origin = HeldOrigin(breaks: true)
        origin.gate.open()
        let client = origin.retrying(.atOnce)
        let (_, body) = try await client.send(request(), body: nil)
        await #expect(throws: HTTPClientError.self) { _ = try await body.text() }
        #expect(origin.sent.count == 1)
        // A caller that collects the body has not received any of it yet.
        await #expect(throws: HTTPClientError.self) { _ = try await client.data(for: request()) }
        #expect(origin.sent.count == 4)
    }

    @Test func `a redirect's body is discarded before it is followed`() async throws {
        let origin = HeldOrigin(statuses: 302, 200, fields: Self.elsewhere)
        let (response, _) = try await origin.followingRedirects().send(request(), body: nil)
        #expect(response.status == .ok)
        #expect(origin.heldBefore == [0, 0])
    }

    @Test func `a refused redirect's body is discarded`() async throws {
        let origin = HeldOrigin(statuses: 302, fields: [.location: "ftp://elsewhere.example"])
        await #expect(throws: HTTPClientError.self) {
            _ = try await origin.followingRedirects().send(request(), body: nil)
        }
        try await origin.waitForRelease()
    }

    @Test func `a response that rejects a token is read before a new token is requested`() async throws {
        let origin = HeldOrigin(statuses: 401, 200)
        origin.gate.open()
        let tokens = Tokens()
        let limited = ConcurrencyLimitingHTTPClient(origin, concurrency: 1)
        tokens.refreshing { _ in
            // With the only permit.
            #expect(limited.free == 1)
            return "t2"
        }
        let client = limited.authenticated(by: tokens, at: try server())
        let (response, _) = try await client.send(request(.get, "https://server.example/a"), body: nil)
        #expect(response.status == .ok)
        #expect(origin.heldBefore == [0, 0])
        #expect(tokens.refreshes == ["t1"])
    }

    @Test func `a response that rejects a token is whole if there is no other token`() async throws {
        let origin = HeldOrigin(statuses: 401)
        origin.gate.open()
        let tokens = Tokens()
        tokens.refreshing { _ in nil }
        let client = origin.authenticated(by: tokens, at: try server())
        let (response, body) = try await client.send(request(.get, "https://server.example/a"), body: nil)
        #expect(response.status == .unauthorized)
        #expect(try await body.text() == "first, then the rest")
    }

    @Test func `bytes in memory are sent again as often as needed`() async throws {
        let server = StubClient { sent in
            sent.number == 3 ? answer() : answer(sent.number == 1 ? 503 : 307, Self.elsewhere, body: "no")
        }
        let client = server.retrying(.atOnce).followingRedirects()
        _ = try await client.send(request(.put), body: HTTPBody(Data("book".utf8)))
        #expect(server.sent.map(\.body) == Array(repeating: Data("book".utf8), count: 3))
    }

    @Test func `a retry sends a body in pieces once`() async throws {
        let server = StubClient(statuses: 503, 200)
        let (response, _) = try await server.retrying(.atOnce).send(request(.put), body: .coming("bo", "ok"))
        #expect(response.status == .serviceUnavailable)
        #expect(server.sent.map(\.body) == [Data("book".utf8)])
    }

    @Test func `a body in pieces is not replayed with a new token, which the next request has`() async throws {
        let stub = StubClient.taking("t2")
        let tokens = Tokens()
        let client = stub.authenticated(by: tokens, at: try server())
        let put = request(.put, "https://server.example/a")
        #expect(try await client.send(put, body: .coming("bo", "ok")).0.status == .unauthorized)
        #expect(try await client.send(put, body: .coming("bo", "ok")).0.status == .ok)
        #expect(stub.sent.count == 2)
    }

    @Test(arguments: [(303, nil), (302, "redirectRefused"), (307, "redirectRefused"), (308, "redirectRefused")])
    func `a body in pieces is not sent to the target of a redirect`(status: Int, error: String?) async throws {
        let server = StubClient { $0.number == 1 ? answer(status, Self.elsewhere) : answer() }
        let client = server.followingRedirects()
        do {
            let (response, _) = try await client.send(request(.put), body: .coming("bo", "ok"))
            #expect((response.status, error) == (.ok, nil))
            #expect(server.sent.last?.body == nil)
        } catch let failure as HTTPClientError {
            #expect(failure.name == error)
            #expect(server.sent.count == 1)
        }
    }

    @Test(arguments: [4_095, 4_096, 4_097], [true, false])
    func `a small body of a known size is read to its end when it is discarded`(size: Int, saysSo: Bool) async throws {
        let pieces = Mutex([Data(count: size - 1), Data(count: 1)])
        let stream = AsyncStream { pieces.withLock { $0.popLast() } }
        await HTTPBody(stream, size: saysSo ? Int64(size) : nil).discard()
        #expect(pieces.withLock { $0.isEmpty } == (size <= 4_096 && saysSo))
    }
}
