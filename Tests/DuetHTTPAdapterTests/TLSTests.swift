import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    /// URLSession trusts whom the system trusts, which a test does not change.
    private static let adaptersThatCanTrust: [Adapter] = [.asyncHTTPClient]

    @Test(arguments: adaptersThatCanTrust, TLSServer.Offer.allCases)
    func `HTTP 2 is spoken where the server offers it, else HTTP 1`(
        adapter: Adapter,
        offer: TLSServer.Offer
    ) async throws {
        try await TLSServer.run(offer) { server in
            try await adapter.withClient(trusting: server.pem) { client in
                let (_, channel) = try await client.send(server.request(.get, "/channel"))
                #expect(String(decoding: channel, as: UTF8.self).contains("HTTP2Stream") == (offer == .http2))
                let body = Data(repeating: 120, count: 300_000)
                let (response, data) = try await client.send(server.request(.post, "/echo"), body: body)
                #expect(response.status == .ok)
                #expect(data == body)
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `many requests at once share an HTTP 2 connection`(adapter: Adapter) async throws {
        try await TLSServer.run(.http2) { server in
            try await adapter.withClient(trusting: server.pem) { client in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        let body = Data("\(number)".utf8)
                        group.addTask { try await client.send(server.request(.post, "/echo"), body: body).1 == body }
                    }
                    for try await isRight in group { #expect(isRight) }
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases, TLSServer.Offer.allCases)
    func `a certificate of an authority that nobody trusts is refused`(
        adapter: Adapter,
        offer: TLSServer.Offer
    ) async throws {
        try await TLSServer.run(offer) { server in
            try await adapter.withClient { client in
                let error = try await expect(.connectionFailed) {
                    try await client.send(server.request(.get, "/channel"))
                }
                #expect(error.description.contains("TLS") || adapter.isURLSessionOnLinux, "\(error)")
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `a certificate for another host is refused`(adapter: Adapter) async throws {
        try await TLSServer.run(.http2) { server in
            try await adapter.withClient(trusting: server.pem) { client in
                var request = server.request(.get, "/channel")
                request.authority = "127.0.0.1:\(server.port)"
                try await expect(.connectionFailed) { try await client.send(request) }
            }
        }
    }

    @Test(arguments: adaptersThatCanTrust)
    func `a redirect from https to http is refused`(adapter: Adapter) async throws {
        try await TLSServer.run(.http2) { server in
            try await adapter.withClient(trusting: server.pem) { client in
                try await expect(.redirectRefused) {
                    try await client.followingRedirects().send(server.request(.get, "/downgrade"))
                }
            }
        }
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a text without certificates is refused when it is given`(pem: String) {
        var configuration = NIOHTTPClient.Configuration()
        #expect(throws: InvalidTrustRoots.self) { try configuration.trust(pem: pem) }
    }
}

extension TLSServer {
    fileprivate func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "localhost:\(port)", path: path)
    }
}
