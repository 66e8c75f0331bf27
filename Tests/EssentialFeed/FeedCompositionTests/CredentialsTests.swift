import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Logging
import Testing

/// The requests that carry a token, and those that must not.
@Suite struct CredentialsTests {
    private let environment = Environment(now: { .fixture }, logger: .silent)
    private let image = Data([0xFF, 0xD8, 0xFF])

    private func options(_ remote: String, allowsPlainHTTP: Bool = false) throws -> ClientOptions {
        ClientOptions(
            remote: try #require(URL(string: remote)),
            cache: nil,
            credentials: Credentials(token: "feed_secret", allowsPlainHTTP: allowsPlainHTTP)
        )
    }

    @Test(arguments: [
        "https://feed.example/", "HTTPS://feed.example:8443/x", "http://localhost:8080/", "http://LOCALHOST/",
        "http://127.0.0.1:8080/", "http://127.255.0.1/", "http://[::1]:8080/",
    ])
    func `a token is sent where nobody on the way can read it`(remote: String) throws {
        #expect(throws: Never.self) { try ClientModule(options(remote), onWarning: { _ in }) }
    }

    @Test(arguments: [
        "http://feed.example/", "http://127.0.0.1.feed.example/", "http://127.feed.example/",
        "http://localhost.example/",
        "http://128.0.0.1/", "http://[::2]/", "http://0.0.0.0/", "http://10.0.0.1/", "http://127.0.0.1@feed.example/",
    ])
    func `a token is sent to another machine without encryption only if that is allowed`(remote: String) throws {
        let error = try #require(throws: ExposedToken.self) { try ClientModule(options(remote), onWarning: { _ in }) }
        #expect(!"\(error)".contains("secret"))
        #expect(throws: Never.self) { try ClientModule(options(remote, allowsPlainHTTP: true), onWarning: { _ in }) }
    }

    @Test func `a token does not appear in a log`() throws {
        let credentials = Credentials(token: "feed_secret")
        var dumped = "\(credentials)"
        dump([credentials], to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func `messages carry the token, and images do not`() async throws {
        let client = MockHTTPClient { Issue.record($0) }
        client.expect(.delete, "/v1/image/\(UUID.fixture(1))", status: .noContent)
        client.expect(.get, "/v1/feed?limit=10", json: #"{"items":[]}"#)
        client.expect(.get, "/1.jpg", times: 2, body: image)
        let elsewhere = try #require(URL(string: "https://elsewhere.example/1.jpg"))
        let there = try #require(URL(string: "https://feed.example/1.jpg"))
        try await withContainer(
            of: environment,
            try ClientModule(options("https://feed.example/"), onWarning: { _ in }),
            overriding: Override((any HTTPClient).self) { client }
        ) { container in
            let dispatcher = try await container.dispatcher
            try await dispatcher.dispatch(RemoveImage(id: .fixture(1)))
            _ = try await dispatcher.dispatch(LoadFeed())
            _ = try await dispatcher.dispatch(LoadImageData(url: elsewhere))
            _ = try await dispatcher.dispatch(LoadImageData(url: there))
        }
        let sent = client.received.map { $0.request.headerFields[.authorization] }
        #expect(sent == ["Bearer feed_secret", "Bearer feed_secret", nil, nil])
    }

    @Test func `without credentials no token is sent`() async throws {
        let client = MockHTTPClient { Issue.record($0) }
        client.expect(.delete, "/v1/image/\(UUID.fixture(1))", status: .noContent)
        let remote = try #require(URL(string: "http://feed.example/"))
        try await withContainer(
            of: environment,
            try ClientModule(ClientOptions(remote: remote, cache: nil), onWarning: { _ in }),
            overriding: Override((any HTTPClient).self) { client }
        ) { container in
            let dispatcher = try await container.dispatcher
            try await dispatcher.dispatch(RemoveImage(id: .fixture(1)))
        }
        #expect(client.received.map { $0.request.headerFields[.authorization] } == [nil])
    }

    @Test func `credentials do not appear in a log`() throws {
        let credentials = Credentials(token: "feed_secret")
        var dumped = ""
        dump(try options("https://feed.example/"), to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("secret"))
    }
}
