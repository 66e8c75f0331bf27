import DuetHTTP
import FeedProxy
import FeedTesting
import Foundation
import HTTPTypes
import Testing

/// The proxy's client before an origin that speaks TLS.
@Suite(.timeLimit(.minutes(5)))
struct SecureOriginTests {
    @Test func `an origin is trusted whose authority is named`() async throws {
        try await withOrigin { server, file in
            let client = try Self.client(of: "localhost", server, OriginSettings(authorities: file))
            defer { client.shutdown() }
            for _ in 1...2 {
                let body = Data(repeating: 120, count: 300_000)
                let (response, data) = try await client.send(server.request(.post, "/echo"), body: body)
                #expect(response.status == .ok)
                #expect(data == body)
            }
        }
    }

    @Test(arguments: [("localhost", false), ("127.0.0.1", true)])
    func `one that nobody trusts, or of another name, is refused`(host: String, isTrusted: Bool) async throws {
        try await withOrigin { server, file in
            let settings = OriginSettings(authorities: isTrusted ? file : nil)
            let client = try Self.client(of: host, server, settings)
            defer { client.shutdown() }
            let error = try await expect(.connectionFailed) { try await client.send(server.request(.get, "/channel")) }
            let reason = isTrusted ? "failedToValidateHostname" : "CERTIFICATE_VERIFY_FAILED"
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test(arguments: ["", "no certificate"])
    func `a file without certificates is refused when it is given`(pem: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(component: "authorities.pem")
        try Data(pem.utf8).write(to: file)
        for url in [file, file.appending(path: "missing")] {
            let origin = try Origin(#require(URL(string: "https://localhost:1")))
            let error = #expect(throws: InvalidAuthorities.self) {
                try OriginClient(origin, settings: OriginSettings(authorities: url))
            }
            #expect(error?.description.contains("authorities.pem") == true)
        }
    }

    private func withOrigin(_ test: (TLSServer, URL) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(component: "authorities.pem")
        try await TLSServer.run(.http1, signedBy: .new()) { server in
            try Data(server.pem.utf8).write(to: file)
            try await test(server, file)
        }
    }

    private static func client(of host: String, _ server: TLSServer, _ settings: OriginSettings) throws -> OriginClient
    {
        try OriginClient(Origin(#require(URL(string: "https://\(host):\(server.port)"))), settings: settings)
    }
}
