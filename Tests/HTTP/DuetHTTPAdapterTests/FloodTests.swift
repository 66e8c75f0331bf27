import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Floods of frames over HTTP/2, after which a client ends the connection, without a deadline.
///
/// One at a time, because several floods at once keep the machine from everything else.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FloodTests {
    /// The clock stands still, so that no deadline ends a request.
    private let clock = ManualClock()

    @Test(arguments: HTTP2Flood.allCases, [FloodingServer.Beginning.afterSettings, .afterRequest])
    func `a flood of frames ends the request and the connection`(
        flood: HTTP2Flood,
        beginning: FloodingServer.Beginning
    ) async throws {
        try await run(flood, beginning, offersHTTP2: true)
    }

    @Test(arguments: HTTP2Flood.allCases)
    func `a client that does not offer HTTP 2 is safe from its frames at any time`(flood: HTTP2Flood) async throws {
        try await run(flood, .withoutSettings, offersHTTP2: false)
    }

    @Test func `a client does not offer HTTP 2 by default`() async throws {
        #expect(!NIOHTTPClient.Configuration().offersHTTP2)
        let authority = try CertificateAuthority.untrusted()
        try await TLSServer.run(.http2, signedBy: authority) { server in
            try await Adapter.asyncHTTPClient.withClient(trusting: authority.pem, offersHTTP2: false) { client in
                let (_, channel) = try await client.data(for: server.request(.get, "/channel"))
                #expect(!String(decoding: channel, as: UTF8.self).contains("HTTP2Stream"))
            }
        }
    }

    private func run(
        _ flood: HTTP2Flood,
        _ beginning: FloodingServer.Beginning,
        offersHTTP2: Bool
    ) async throws {
        let authority = try CertificateAuthority.untrusted()
        let limit = offersHTTP2 ? Self.largestFlood : Self.largestDiscardedFlood
        let server = try await FloodingServer.start(flood, beginning, limit: limit, signedBy: authority)
        try await Adapter.asyncHTTPClient.withClient(
            clock: clock,
            trusting: authority.pem,
            offersHTTP2: offersHTTP2
        ) { client in
            let request = HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "localhost:\(server.port)",
                path: "/"
            )
            let task = Task { try await client.data(for: request) }
            // A client may try again with another connection until its deadline.
            let end = await server.log.until { $0.accepted > 0 && $0.open == 0 }
            #expect(end.open == 0, "the connection is still open")
            server.disconnect()
            await #expect(throws: HTTPClientError.self) { try await task.value }
        }
        try await server.stop()
    }

    /// More than the allowance of a connection and what the buffers of the system hold, in bytes.
    private static let largestFlood = 32 << 20

    /// The bytes that may arrive before a connection over HTTP/1.1 is set up.
    ///
    /// They are discarded, and only those after them end the connection. A busy machine receives more of them.
    private static let largestDiscardedFlood = 2 << 30
}
