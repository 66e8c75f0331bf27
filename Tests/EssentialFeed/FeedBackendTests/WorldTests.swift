import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import FeedAPI
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

/// The same messages with the same result, wherever they are handled.
@Suite(.serialized) struct WorldTests {
    enum World: CaseIterable {
        case process
        case router
        case socket
    }

    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    @Test(arguments: World.allCases)
    func `an image is published, read, commented on and removed`(world: World) async throws {
        try await withDispatcher(in: world) { dispatcher in
            let image = PublishImage(id: .number(1), description: "a+b/é?&=%", location: " ", data: .tinyImage)
            try await dispatcher.dispatch(image)
            try await dispatcher.dispatch(image)
            let page = try await dispatcher.dispatch(LoadFeed(limit: 1))
            let url = try #require(URL(string: "http://localhost/v1/image/\(UUID.number(1))?hash=acc4b644ba90b690"))
            let expected = FeedImage(
                id: image.id,
                description: "a+b/é?&=%",
                location: " ",
                publishedAt: TestBackend.now,
                commentCount: 0,
                size: ImageSize(width: 8, height: 8),
                url: url
            )
            #expect(page == FeedPage(images: [expected], source: .remote))
            #expect(try await dispatcher.dispatch(LoadFeed(after: image.id)).images == [])

            let data = try await dispatcher.dispatch(LoadPublishedImageData(id: image.id))
            #expect(data.data == .tinyImage)
            #expect(data.format == .jpeg)

            let comment = PostImageComment(id: .number(2), imageID: image.id, message: "\"Grüße\" 👋\n", username: "me")
            try await dispatcher.dispatch(comment)
            try await dispatcher.dispatch(comment)
            let comments = try await dispatcher.dispatch(LoadImageComments(imageID: image.id)).comments
            #expect(
                comments == [
                    ImageComment(id: .number(2), message: comment.message, createdAt: TestBackend.now, username: "me")
                ]
            )
            try await dispatcher.dispatch(RemoveImage(id: image.id))
            #expect(try await dispatcher.dispatch(LoadFeed()).images == [])
        }
    }

    @Test(arguments: World.allCases)
    func `a handler's error is caught unchanged`(world: World) async throws {
        try await withDispatcher(in: world) { dispatcher in
            let missing = ImageNotFound(id: .number(9))
            await #expect(throws: missing) { try await dispatcher.dispatch(LoadFeed(after: .number(9))) }
            await #expect(throws: missing) { try await dispatcher.dispatch(LoadImageComments(imageID: .number(9))) }
            await #expect(throws: missing) { try await dispatcher.dispatch(LoadPublishedImageData(id: .number(9))) }
            await #expect(throws: missing) {
                try await dispatcher.dispatch(
                    PostImageComment(id: .number(2), imageID: .number(9), message: "m", username: "u")
                )
            }
            await #expect(throws: InvalidMessage(field: "message", reason: "must not be empty")) {
                try await dispatcher.dispatch(
                    PostImageComment(id: .number(2), imageID: .number(9), message: " ", username: "u")
                )
            }
            try await dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
            try await dispatcher.dispatch(RemoveImage(id: .number(1)))
            await #expect(throws: ImageRemoved(id: .number(1))) {
                try await dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
            }
        }
    }

    /// Runs `body` with a dispatcher whose messages are handled in a world.
    private func withDispatcher(
        in world: World,
        _ body: @Sendable @escaping (any Dispatcher) async throws -> Void
    ) async throws {
        let publicURL = try #require(URL(string: "http://localhost"))
        switch world {
        case .process:
            try await body(backend.dispatcher)
        case .router:
            try await backend.keepTestToken()
            let application = try backend.backend.application(publicURL: publicURL, logger: .silent)
            try await body(remote(RouterHTTPClient(responder: application.responder), publicURL))
        case .socket:
            try await backend.test(.live, publicURL: publicURL) { server in
                let port = try #require(server.port)
                let url = try #require(URL(string: "http://localhost:\(port)"))
                let client = NIOHTTPClient(clock: ManualClock())
                do {
                    try await body(remote(client, url))
                } catch {
                    try await client.shutdown()
                    throw error
                }
                try await client.shutdown()
            }
        }
    }

    private func remote(_ client: some DuetHTTP.HTTPClient, _ url: URL) throws -> RemoteDispatcher {
        try RemoteDispatcher(baseURL: BaseURL(url), client: BearerTokenHTTPClient(AccessToken.test.text, base: client))
    }
}
