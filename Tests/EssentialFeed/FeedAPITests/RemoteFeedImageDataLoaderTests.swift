import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

struct RemoteFeedImageDataLoaderTests {
    @Test func `the bytes are requested at their URL`() async throws {
        let client = HTTPClientSpy(contentType: "image/png", body: "bytes")
        let url = try #require(URL(string: "https://a.example:8443/a%20b.png?size=1&x=%2B#part"))
        let data = try await RemoteFeedImageDataLoader(client: client).loadImageData(from: url)

        let request = try #require(client.requests.first)
        #expect(data == Data("bytes".utf8))
        #expect(client.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.scheme == "https")
        #expect(request.authority == "a.example:8443")
        #expect(request.path == "/a%20b.png?size=1&x=%2B")
        #expect(request.headerFields[.authorization] == nil)
        #expect(request.headerFields[.cacheControl] == "no-cache", "a cache must not bring a removed image back")
    }

    @Test(arguments: ["http://user:secret@a.example/1.png", "http://user@a.example/1.png", "http://@a.example/1.png"])
    func `a URL with a user is refused, and its user becomes no credentials`(text: String) async throws {
        let client = HTTPClientSpy(body: "bytes")
        let url = try #require(URL(string: text))
        let failure = await #expect(throws: RemoteFailure.self) {
            try await RemoteFeedImageDataLoader(client: client).loadImageData(from: url)
        }
        #expect(failure?.kind == .invalidData)
        #expect(failure.map { "\($0)".contains("secret") } == false)
        #expect(client.messages == [])
    }

    @Test(arguments: ["ftp://a.example/1.png", "file:///1.png", "data:image/png;base64,AA==", "1.png", "http:///1.png"])
    func `a URL that is not HTTP is invalid data, and nothing is sent`(text: String) async throws {
        let client = HTTPClientSpy(body: "bytes")
        let url = try #require(URL(string: text))
        let failure = await #expect(throws: RemoteFailure.self) {
            try await RemoteFeedImageDataLoader(client: client).loadImageData(from: url)
        }
        #expect(failure?.kind == .invalidData)
        #expect(client.messages == [])
    }

    @Test(arguments: [(199, "x"), (201, "x"), (204, ""), (200, ""), (404, "x"), (410, "x")])
    func `any response other than a 200 with bytes is invalid data`(status: Int, body: String) async throws {
        let client = HTTPClientSpy(status: status, body: body)
        let url = try #require(URL(string: "http://a.example/1.png"))
        let failure = await #expect(throws: RemoteFailure.self) {
            try await RemoteFeedImageDataLoader(client: client).loadImageData(from: url)
        }
        #expect(failure?.kind == .invalidData)
        #expect(failure?.isMissing == [404, 410].contains(status))
    }

    @Test func `a client's error is a connectivity failure, and a cancellation stays a cancellation`() async throws {
        let url = try #require(URL(string: "http://a.example/1.png"))
        let error = HTTPClientError.bodyTooLarge(url: "http://a.example/1.png", limit: 3)
        await #expect(throws: RemoteFailure.connectivity("\(error)")) {
            try await RemoteFeedImageDataLoader(client: HTTPClientSpy(.failure(error))).loadImageData(from: url)
        }
        let cancelled = HTTPClientSpy(.failure(CancellationError()))
        await #expect(throws: CancellationError.self) {
            try await RemoteFeedImageDataLoader(client: cancelled).loadImageData(from: url)
        }
    }
}
