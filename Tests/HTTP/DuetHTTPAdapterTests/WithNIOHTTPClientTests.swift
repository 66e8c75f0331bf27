import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WithNIOHTTPClientTests {
    private let client = Kept()

    @Test func `a client is shut down after its use`() async throws {
        let value = try await withNIOHTTPClient(clock: ManualClock()) { client in
            self.client.keep(client)
            return 7
        }
        #expect(value == 7)
        try await expectShutDown()
    }

    @Test func `a client is shut down after an error, which is thrown unchanged`() async throws {
        await #expect(throws: Unlucky.self) {
            try await withNIOHTTPClient(clock: ManualClock()) { client in
                self.client.keep(client)
                throw Unlucky()
            }
        }
        try await expectShutDown()
    }

    @Test func `a client is shut down in a canceled task`() async throws {
        let kept = client
        let result = await canceled {
            try await withNIOHTTPClient(clock: ManualClock()) { client in
                kept.keep(client)
                try Task.checkCancellation()
            }
        }
        #expect(throws: CancellationError.self) { try result.get() }
        try await expectShutDown()
    }

    private func expectShutDown() async throws {
        let client = try #require(client.client)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:9", path: "/")
        try await expect(.shutDown) { try await client.data(for: request) }
    }
}

private struct Unlucky: Error {}

/// The client of a test, for use after it.
private final class Kept: Sendable {
    private let kept = Mutex<NIOHTTPClient?>(nil)

    var client: NIOHTTPClient? { kept.withLock { $0 } }

    func keep(_ client: NIOHTTPClient) { kept.withLock { $0 = client } }
}
