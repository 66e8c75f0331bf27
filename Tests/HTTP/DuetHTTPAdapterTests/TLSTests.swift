import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// HTTP/2 and HTTP/1.1 over TLS, on every adapter that can trust the tests' servers.
///
/// URLSession trusts the authorities that the system trusts. `scripts/tls.sh`, a part of `make test`, runs this suite
/// with an additional trusted authority, so that URLSession is tested too.
@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    private static let adaptersThatCanTrust =
        CertificateAuthority.systemFolder == nil ? [.asyncHTTPClient] : Adapter.allCases

    @Test(arguments: adaptersThatCanTrust, TLSServer.Offer.allCases)
    func `HTTP 2 is used where the server offers it, and HTTP 1 otherwise`(
        adapter: Adapter,
        offer: TLSServer.Offer
    ) async throws {
        try await adapter.withTrustedServer(offer) { server, client in
            let (_, channel) = try await client.data(for: server.request(.get, "/channel"))
            #expect(channel.isStreamOfHTTP2 == (offer == .http2))
            let body = Data(repeating: 120, count: 300_000)
            let (response, data) = try await client.data(for: server.request(.post, "/echo"), body: body)
            #expect(response.status == .ok)
            #expect(data == body)
        }
    }

    @Test(
        arguments: [
            [""], ["-1"], ["0"], ["99"], ["099"], ["1000"], ["99999"], ["2x0"], ["200 "], ["٢٠٠"], ["101", "200"],
            ["100", "-1"], ["103", "99"], ["103"],
        ]
    )
    func `a status that HTTP 2 does not have is a response that is not HTTP`(statuses: [String]) async throws {
        try await withScript(statuses) { client, request in
            try await expect(.connectionFailed) { try await client.data(for: request) }
        }
    }

    @Test func `a status of three digits is accepted over HTTP 2, also after interim ones`() async throws {
        try await withScript(["100", "103", "599"]) { client, request in
            let (response, _) = try await client.data(for: request)
            #expect(response.status.code == 599)
        }
    }

    private func withScript(
        _ statuses: [String],
        test: (ProbedClient, HTTPRequest) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority.untrusted()
        try await HTTP2Script.run(signedBy: authority) { request in
            statuses.enumerated().map { index, status in
                .head(status, of: request.stream, isEnd: index == statuses.count - 1)
            }
        } test: { port, _ in
            try await Adapter.asyncHTTPClient.withClient(trusting: authority.pem) { client in
                try await test(
                    client,
                    HTTPRequest(method: .get, scheme: "https", authority: "localhost:\(port)", path: "/")
                )
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `many requests at once share an HTTP 2 connection`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            // Before the first response a client cannot know that the server uses HTTP/2.
            let first = try await client.data(for: server.request(.get, "/channel")).1
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<100 { group.addTask { try await client.data(for: server.request(.get, "/channel")).1 } }
                for try await channel in group { #expect(channel == first) }
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `many bodies at once are not mixed up`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    let body = Data(repeating: UInt8(number), count: 1_000 + number)
                    group.addTask { try await client.data(for: server.request(.post, "/echo"), body: body).1 == body }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `many redirects at once are followed over HTTP 2`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            let client = client.followingRedirects()
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await client.data(for: server.request(.get, "/redirect")).1 }
                }
                for try await channel in group { #expect(channel.isStreamOfHTTP2) }
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `canceling streams does not affect the others of their connection`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            let silent = (0..<20).map { number in
                Task { try await client.data(for: server.request(.get, "/silence/\(number)")).0 }
            }
            for number in silent.indices { await server.arrivals.wait(for: number) }
            try await withThrowingTaskGroup(of: Data.self) { group in
                for (number, task) in silent.enumerated() {
                    group.addTask {
                        try await client.data(for: server.request(.post, "/echo"), body: Data("\(number)".utf8)).1
                    }
                    task.cancel()
                }
                let echoes = try await group.reduce(into: Set<Data>()) { $0.insert($1) }
                #expect(echoes == Set(silent.indices.map { Data("\($0)".utf8) }))
            }
            for task in silent { await #expect(throws: CancellationError.self) { try await task.value } }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `a 401 with a Basic challenge is a response over HTTP 2 too`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            let (response, data) = try await client.data(for: server.request(.get, "/challenge"))
            #expect(response.status == .unauthorized)
            #expect(data == Data("no".utf8))
        }
    }

    /// `URLSession` unpacks the events itself, and nothing shows that they were compressed.
    @Test(arguments: adaptersThatCanTrust, TLSServer.Offer.allCases)
    func `compressed events are unpacked by URLSession and an error elsewhere, over HTTP 2 and HTTP 1`(
        adapter: Adapter,
        offer: TLSServer.Offer
    ) async throws {
        try await adapter.withTrustedServer(offer) { server, client in
            let api = HTTPDispatcher(baseURL: try BaseURL("https://localhost:\(server.port)"), client: client)
            if adapter == .urlSession {
                for try await number in api.observe(WatchNumber()).values {
                    #expect(number == 1)
                    break
                }
            } else {
                let failure = await #expect(throws: HTTPFailure.self) {
                    for try await _ in api.observe(WatchNumber()).values {}
                }
                let text = "body has the content coding “gzip”; events must not be compressed."
                #expect(
                    failure?.description.hasSuffix(", but its body is invalid: \(text)") == true,
                    "\(String(describing: failure))"
                )
            }
        }
    }

    private struct WatchNumber: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("events").live()
    }

    @Test(arguments: adaptersThatCanTrust)
    func `a certificate for another host is refused`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            var request = server.request(.get, "/channel")
            request.authority = "127.0.0.1:\(server.port)"
            let error = try await expect(.connectionFailed) { try await client.data(for: request) }
            // In libcurl's words on Linux.
            let reason = adapter.isURLSessionOnLinux ? "no alternative certificate subject name matches" : "TLS"
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `a redirect from https to http is refused`(adapter: Adapter) async throws {
        try await adapter.withTrustedServer(.http2) { server, client in
            try await expect(.redirectRefused) {
                try await client.followingRedirects().data(for: server.request(.get, "/downgrade"))
            }
        }
    }

    @Test(arguments: Adapter.allCases, TLSServer.Offer.allCases)
    func `a certificate of an untrusted authority is refused`(
        adapter: Adapter,
        offer: TLSServer.Offer
    ) async throws {
        try await TLSServer.run(offer, signedBy: .untrusted()) { server in
            try await adapter.withClient { client in
                let error = try await expect(.connectionFailed) {
                    try await client.data(for: server.request(.get, "/channel"))
                }
                // In libcurl's words on Linux.
                let reason = adapter.isURLSessionOnLinux ? "SSL certificate problem" : "TLS"
                #expect(error.description.contains(reason), "\(error)")
            }
        }
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a text without certificates is refused at once`(pem: String) {
        var configuration = NIOHTTPClient.Configuration()
        #expect(throws: InvalidTrustRoots.self) { try configuration.trust(pem: pem) }
    }
}

extension Adapter {
    /// Runs a test with a server and a client that trusts it.
    fileprivate func withTrustedServer(
        _ offer: TLSServer.Offer,
        test: (TLSServer, ProbedClient) async throws -> Void
    ) async throws {
        try await TLSServer.run(offer, signedBy: .trusted()) { server in
            try await withClient(trusting: server.pem) { client in try await test(server, client) }
        }
    }
}

extension Data {
    /// Whether this is the name of a channel that is one stream of an HTTP/2 connection.
    fileprivate var isStreamOfHTTP2: Bool { String(decoding: self, as: UTF8.self).contains("HTTP2Stream") }
}
