import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

struct RemoteFeedLoaderTests {
    private let baseURL: BaseURL

    init() throws {
        baseURL = try BaseURL(#require(URL(string: "http://127.0.0.1:8080/x/")))
    }

    @Test func `nothing is sent before something is loaded`() {
        let client = HTTPClientSpy(body: "{\"items\":[]}")
        _ = RemoteFeedLoader(baseURL: baseURL, client: client)
        #expect(client.messages == [])
    }

    @Test func `each load sends one request`() async throws {
        let client = HTTPClientSpy(body: "{\"items\":[]}")
        let loader = RemoteFeedLoader(baseURL: baseURL, client: client, after: anyID, limit: 3)
        _ = try await loader.load()
        _ = try await loader.load()

        let (request, _) = try FeedEndpoint.feed(after: anyID, limit: 3).request(baseURL: baseURL)
        #expect(client.messages == [.send(request, body: nil), .send(request, body: nil)])
    }

    @Test func `a valid answer is a page from the server`() async throws {
        let client = HTTPClientSpy(body: "{\"items\":[{\"id\":\"\(anyID)\",\"image\":\"http://a.example/1\"}]}")
        let page = try await RemoteFeedLoader(baseURL: baseURL, client: client).load()
        let url = try #require(URL(string: "http://a.example/1"))
        #expect(page == FeedPage(images: [FeedImage(id: anyID, url: url)], source: .remote))
    }

    @Test func `an answer that is not the contract is unusable`() async throws {
        let client = HTTPClientSpy(status: 500, contentType: "application/problem+json", body: "{\"detail\":\"d\"}")
        await #expect(throws: RemoteFailure.invalidData("its status is 500, not 200: d")) {
            try await RemoteFeedLoader(baseURL: baseURL, client: client).load()
        }
    }

    @Test func `a page of HTML is unusable`() async throws {
        let client = HTTPClientSpy(contentType: "text/html", body: "<html></html>")
        await #expect(throws: RemoteFailure.invalidData("the body is not JSON")) {
            try await RemoteFeedLoader(baseURL: baseURL, client: client).load()
        }
    }

    @Test func `a client's error is one of connectivity, with the client's words`() async throws {
        let error = HTTPClientError.deadlineExceeded(url: "http://a.example/", after: .seconds(3))
        await #expect(throws: RemoteFailure.connectivity("\(error)")) {
            try await RemoteFeedLoader(baseURL: baseURL, client: HTTPClientSpy(.failure(error))).load()
        }
    }

    @Test func `a cancellation stays one`() async throws {
        let client = HTTPClientSpy(.failure(CancellationError()))
        await #expect(throws: CancellationError.self) {
            try await RemoteFeedLoader(baseURL: baseURL, client: client).load()
        }
    }
}
