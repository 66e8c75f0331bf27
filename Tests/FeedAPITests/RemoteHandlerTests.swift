import Duet
import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

struct RemoteHandlerTests {
    private let baseURL: BaseURL
    private let post = PostImageComment(id: otherID, imageID: anyID, message: "m", username: "u")
    private let publish = PublishImage(id: anyID, description: "d", data: Data([0xFF, 0xD8, 0xFF]))
    private let remove = RemoveImage(id: anyID)

    init() throws {
        baseURL = try BaseURL(#require(URL(string: "http://127.0.0.1:8080/x/")))
    }

    private func dispatcher(_ client: any HTTPClient) throws -> StandardDispatcher {
        try StandardDispatcher {
            RemoteImageCommentsHandler(baseURL: baseURL, client: client)
            RemotePostImageCommentHandler(baseURL: baseURL, client: client)
            RemotePublishImageHandler(baseURL: baseURL, client: client)
            RemoteRemoveImageHandler(baseURL: baseURL, client: client)
        }
    }

    @Test func `comments are loaded with one request`() async throws {
        let client = HTTPClientSpy(
            status: 299,
            body: "{\"items\":[{\"id\":\"\(otherID)\",\"message\":\"m\",\"created_at\":\"1970-01-01T00:00:01Z\","
                + "\"author\":{\"username\":\"u\"}}]}"
        )
        let comments = try await dispatcher(client).dispatch(LoadImageComments(imageID: anyID))

        let date = Date(timeIntervalSince1970: 1)
        #expect(comments == [ImageComment(id: otherID, message: "m", createdAt: date, username: "u")])
        let (request, _) = try FeedEndpoint.comments(imageID: anyID).request(baseURL: baseURL)
        #expect(client.messages == [.send(request, body: nil)])
    }

    @Test(arguments: [200, 201, 204, 299])
    func `a command is sent once and done when the server says so`(status: Int) async throws {
        let client = HTTPClientSpy(status: status)
        let dispatcher = try dispatcher(client)
        try await dispatcher.dispatch(post)
        try await dispatcher.dispatch(publish)
        try await dispatcher.dispatch(remove)

        let expected = try [FeedEndpoint.postComment(post), .publishImage(publish), .removeImage(remove)].map {
            try $0.request(baseURL: baseURL)
        }
        #expect(client.requests == expected.map(\.request))
        #expect(client.messages.count == 3)
        #expect(client.messages.last == .send(expected[2].request, body: nil))
        #expect(client.messages.dropFirst().first == .send(expected[1].request, body: publish.data))
    }

    @Test(arguments: [199, 300, 400, 404, 500])
    func `a command that is refused says why`(status: Int) async throws {
        let client = HTTPClientSpy(status: status, contentType: "application/problem+json", body: "{\"detail\":\"d\"}")
        let dispatcher = try dispatcher(client)
        let failure = RemoteFailure.invalidData("its status is \(status), not one of 200...299: d")
        await #expect(throws: failure) { try await dispatcher.dispatch(post) }
        await #expect(throws: failure) { try await dispatcher.dispatch(publish) }
        await #expect(throws: failure) { try await dispatcher.dispatch(remove) }
        await #expect(throws: failure) { try await dispatcher.dispatch(LoadImageComments(imageID: anyID)) }
    }

    @Test func `a client's error is one of connectivity`() async throws {
        let error = HTTPClientError.tooManyRedirects(url: "http://a.example/")
        let dispatcher = try dispatcher(HTTPClientSpy(.failure(error)))
        let failure = RemoteFailure.connectivity("\(error)")
        await #expect(throws: failure) { try await dispatcher.dispatch(post) }
        await #expect(throws: failure) { try await dispatcher.dispatch(publish) }
        await #expect(throws: failure) { try await dispatcher.dispatch(remove) }
        await #expect(throws: failure) { try await dispatcher.dispatch(LoadImageComments(imageID: anyID)) }
    }

    @Test func `a cancellation stays one`() async throws {
        let dispatcher = try dispatcher(HTTPClientSpy(.failure(CancellationError())))
        await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(post) }
        await #expect(throws: CancellationError.self) {
            try await dispatcher.dispatch(LoadImageComments(imageID: anyID))
        }
    }
}
