import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedComposition
import FeedFeature
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// The way of a reader's token from the browser to the backend.
@Suite struct SessionTokenTests {
    private let environment = Environment(now: { .fixture }, newID: { .fixture(7) }, logger: .silent)

    @Test func `each command carries the token of its reader, and no other request does`() async throws {
        let client = MockHTTPClient { Issue.record($0) }
        client.expect(.delete, "/v1/image/\(UUID.fixture(1))", times: 3, status: .noContent)
        client.expect(.get, "/v1/feed?limit=30", times: 2, json: #"{"items":[]}"#)
        try await pages(of: "http://127.0.0.1:1/", client) { page async throws in
            for cookie in ["session=feed_ann", "session=feed_lin", nil] {
                #expect(try await remove(page, cookie).status == .seeOther)
            }
            for cookie in ["session=feed_ann", nil] {
                #expect(try await get("/", page, cookie).status == .ok)
            }
        }
        let sent = client.received.map { $0.request.headerFields[.authorization] }
        #expect(sent == ["Bearer feed_ann", "Bearer feed_lin", nil, nil, nil])
    }

    @Test func `comments are read without a token, so that one that was revoked keeps nobody from them`() async throws {
        let client = MockHTTPClient { Issue.record($0) }
        let image = #"{"id":"\#(UUID.fixture(1))","image":"https://feed.example/1"}"#
        client.expect(.get, "/v1/image/\(UUID.fixture(1))/details", json: image)
        client.expect(.get, "/v1/image/\(UUID.fixture(1))/comments?limit=50", json: #"{"items":[]}"#)
        client.expect(.get, "/v1/image/\(UUID.fixture(1))/neighbors", json: "{}")
        try await pages(of: "https://feed.example/", client) { page async throws in
            #expect(try await get("/images/\(UUID.fixture(1))", page, "session=feed_revoked").status == .ok)
        }
        #expect(client.received.count > 1)
        #expect(client.received.allSatisfy { $0.request.headerFields[.authorization] == nil })
    }

    @Test func `a token is checked with the backend before the session begins`() async throws {
        let client = MockHTTPClient { Issue.record($0) }
        client.expect(.get, "/v1/permissions", json: #"{"permissions":["publish"]}"#)
        try await pages(of: "https://feed.example/", client) { page async throws in
            let answer = try await signIn(page)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.setCookie]?.hasPrefix("session=feed_ann;") == true)
        }
        #expect(client.received.map { $0.request.headerFields[.authorization] } == ["Bearer feed_ann"])
    }

    @Test func `a token is not sent to another machine without encryption`() async throws {
        let client = MockHTTPClient { Issue.record($0) }
        let image = #"{"id":"\#(UUID.fixture(1))","image":"http://feed.example/1"}"#
        client.expect(.get, "/v1/image/\(UUID.fixture(1))/details", json: image)
        try await pages(of: "http://feed.example/", client) { page async throws in
            let answer = try await signIn(page)
            #expect(answer.status == .forbidden)
            #expect(answer.headers[.setCookie] == nil)
            #expect(try await remove(page, "session=feed_ann").status == .forbidden)
        }
        #expect(client.requestLines == ["GET /v1/image/\(UUID.fixture(1))/details"])
        #expect(client.received.first?.request.headerFields[.authorization] == nil)
    }

    @Test func `a token does not appear in a log`() {
        let sender = SenderToken("feed_secret")
        var dumped = "\(sender) \(String(reflecting: sender))"
        dump([sender], to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    private func pages(
        of remote: String,
        _ client: MockHTTPClient,
        body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let remote = try #require(URL(string: remote))
        try await withContainer(
            of: environment,
            try ClientModule(ClientOptions(remote: remote, cache: nil), onWarning: { _ in }),
            WebModule(),
            overriding: Override((any HTTPClient).self) { client }
        ) { container in
            try await FeedWeb(container: container)
                .application(host: "127.0.0.1", port: 0, logger: .silent)
                .test(.router) { try await body($0) }
        }
    }

    private func remove(_ page: any TestClientProtocol, _ cookie: String?) async throws -> TestResponse {
        try await post("/images/\(UUID.fixture(1))/remove", "", page, cookie)
    }

    private func signIn(_ page: any TestClientProtocol) async throws -> TestResponse {
        try await post("/sign-in", "token=feed_ann", page, nil)
    }

    private func get(_ path: String, _ page: any TestClientProtocol, _ cookie: String?) async throws -> TestResponse {
        var headers = HTTPFields()
        headers[.cookie] = cookie
        return try await page.execute(uri: path, method: .get, headers: headers) { $0 }
    }

    private func post(
        _ path: String,
        _ body: String,
        _ page: any TestClientProtocol,
        _ cookie: String?
    ) async throws -> TestResponse {
        var headers: HTTPFields = [
            .contentType: "application/x-www-form-urlencoded", .origin: "http://localhost",
        ]
        headers[.cookie] = cookie
        return try await page.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body)) { $0 }
    }
}
