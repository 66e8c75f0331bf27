import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct LiveServerTests {
    private let site = Site { $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) } }

    @Test func `a browser gets the page and then its image`() async throws {
        try await site.application().test(.live) { client in
            let page = try await client.execute(uri: "/", method: .get) { $0 }
            let picture = try await client.execute(uri: "/images/\(image(1).id)/data", method: .get) { $0 }

            #expect(page.cards == [image(1).id.uuidString])
            #expect(Data(picture.body.readableBytesView) == jpeg)
        }
    }

    @Test(arguments: [
        ("127.0.0.1:8080", 200), ("localhost", 200), ("LocalHost:1", 200), ("[::1]:8080", 200), ("[::1]", 200),
        ("example.com", 421), ("127.0.0.1.example.com:80", 421), ("localhost.example.com", 421), ("[::2]", 421),
        ("example.com:localhost", 400), ("", 400),
    ])
    func `on a loopback address only its own hosts are accepted`(_ host: String, _ status: Int) async throws {
        #expect(try await self.status(of: host, boundTo: "127.0.0.1") == status)
        #expect(try await self.status(of: host, boundTo: "::1") == status)
    }

    @Test func `another loopback address is accepted as its own host`() async throws {
        #expect(try await status(of: "127.0.0.2:8000", boundTo: "127.0.0.2") == 200)
        #expect(try await status(of: "127.0.0.1:8000", boundTo: "127.0.0.2") == 200)
        #expect(try await status(of: "example.com", boundTo: "127.0.0.2") == 421)
        #expect(try await status(of: "127.0.0.2", boundTo: "127.0.0.1") == 421)
    }

    @Test func `on another address every host is accepted`() async throws {
        #expect(try await status(of: "example.com", boundTo: "0.0.0.0") == 200)
    }

    /// The status of the response to a request with a host name.
    private func status(of host: String, boundTo address: String) async throws -> Int {
        try await site.application(host: address).test(.live) { client in
            let port = try #require(client.port)
            return try await TestClient.withClient(host: "localhost", port: port) { client in
                try await client.execute(TestClient.Request("/", method: .get, authority: host)).status.code
            }
        }
    }
}
