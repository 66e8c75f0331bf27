import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

struct RemoteFeedLoaderTests {
    private func loader(_ client: HTTPClientSpy, _ query: LoadFeed = LoadFeed()) throws -> RemoteFeedLoader {
        try RemoteFeedLoader(query, from: RemoteDispatcher(answering: client, base: "http://127.0.0.1:8080/x/"))
    }

    @Test func `creating a loader sends nothing`() throws {
        let client = HTTPClientSpy(body: "{\"items\":[]}")
        _ = try loader(client)
        #expect(client.messages == [])
    }

    @Test func `each load sends one request`() async throws {
        let client = HTTPClientSpy(body: "{\"items\":[]}")
        let loader = try loader(client, LoadFeed(after: anyID, limit: 3))
        _ = try await loader.load()
        _ = try await loader.load()

        let path = "/x/v1/feed?after_id=\(anyID)&limit=3"
        #expect(client.requests.map(\.path) == [path, path])
    }

    @Test func `a valid response delivers a page from the server`() async throws {
        let client = HTTPClientSpy(body: "{\"items\":[{\"id\":\"\(anyID)\",\"image\":\"http://a.example/1\"}]}")
        let page = try await loader(client).load()
        let url = try #require(URL(string: "http://a.example/1"))
        #expect(page == FeedPage(images: [FeedImage(id: anyID, url: url)], source: .remote))
    }

    @Test func `an invalid response is invalid data`() async throws {
        let client = HTTPClientSpy(status: 500, contentType: "application/problem+json", body: "{\"detail\":\"d\"}")
        let reason = try await invalidDataReason { try await loader(client).load() }
        let asked = "GET http://127.0.0.1:8080/x/v1/feed"
        #expect(reason == "FeedFeature.LoadFeed: the server responded with 500 to \(asked): d.")
    }

    @Test func `an HTML page is invalid data`() async throws {
        let client = HTTPClientSpy(contentType: "text/html", body: "<html></html>")
        let fault = try await bodyFault { try await loader(client).load() }
        #expect(fault == "body is HTML or XML, and not JSON")
    }

    @Test(arguments: ["application/json", "text/plain; charset=utf-8", "application/octet-stream", "nonsense", ""])
    func `JSON is decoded whatever its media type`(contentType: String) async throws {
        let client = HTTPClientSpy(contentType: contentType, body: "{\"items\":[]}")
        #expect(try await loader(client).load().images == [])
    }

    @Test func `a client's error is a connectivity failure, with its reason`() async throws {
        let error = HTTPClientError.deadlineExceeded(url: "http://a.example/", after: .seconds(3))
        await #expect(throws: RemoteFailure.connectivity("\(error)")) {
            try await loader(HTTPClientSpy(.failure(error))).load()
        }
    }

    @Test func `a cancellation stays a cancellation`() async throws {
        let client = HTTPClientSpy(.failure(CancellationError()))
        await #expect(throws: CancellationError.self) {
            try await loader(client).load()
        }
    }

    @Test func `a problem with the query is invalid data, so that the cache is tried next`() async throws {
        let client = HTTPClientSpy(
            status: 404,
            contentType: "application/problem+json",
            body: "{\"type\":\"urn:essential-feed:image-not-found\",\"id\":\"\(anyID)\"}"
        )
        let reason = try await invalidDataReason { try await loader(client).load() }
        #expect(reason == "There is no image \(anyID).")
        let failure = await #expect(throws: RemoteFailure.self) { try await loader(client).load() }
        #expect(failure?.isMissing == true)
    }
}
