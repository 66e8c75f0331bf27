import Duet
import DuetDependencies
import FeedBackend
import FeedComposition
import FeedFeature
import FeedServing
import FeedTesting
import FeedWeb
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// The sources of messages on the page for developers, with real servers.
@Suite struct MessageSourceTests {
    private let folder: TemporaryDirectory
    private let environment = Environment(now: { .fixture }, logger: .silent)

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func `a message comes from the server, from memory, or while the server is gone from the store`() async throws
    {
        let backend = try Container.backend(
            BackendOptions(database: folder.url.appending(path: "backend.sqlite")),
            environment: environment
        )
        try await backend.dispatcher.dispatch(PublishImage(id: .fixture(1), data: .tinyImage))
        let port = try await FeedBackend(container: backend).application(port: 0).test(.live) { server in
            let port = try #require(server.port)
            try await withPages(of: port) { pages, dispatcher async throws in
                let page = try await dispatcher.dispatch(LoadFeed())
                let image = try #require(page.images.first)
                for _ in 1...2 { _ = try await dispatcher.dispatch(LoadImageData(url: image.url)) }
                try await dispatcher.dispatch(RemoveInvalidFeedCache())
                #expect(
                    try await sources(pages) == [
                        "RemoveInvalidFeedCache process", "LoadImageData memory", "LoadImageData server",
                        "LoadFeed server",
                    ]
                )
            }
            return port
        }
        await backend.dispose()
        try await withPages(of: port) { pages, dispatcher async throws in
            let page = try await dispatcher.dispatch(LoadFeed())
            let image = try #require(page.images.first)
            _ = try await dispatcher.dispatch(LoadImageData(url: image.url))
            await #expect(throws: RemoteFailure.self) {
                try await dispatcher.dispatch(LoadImageComments(imageID: image.id))
            }
            #expect(
                try await sources(pages) == [
                    "LoadImageComments process", "LoadImageData store", "LoadFeed store",
                ]
            )
        }
    }

    private func withPages(
        of port: Int,
        _ body: @Sendable (any TestClientProtocol, any Dispatcher) async throws -> Void
    ) async throws {
        let client = ClientOptions(
            remote: try #require(URL(string: "http://127.0.0.1:\(port)/")),
            cache: folder.url.appending(path: "cache.sqlite")
        )
        let container = try Container.page(client, environment: environment, inspects: true) { Issue.record("\($0)") }
        try await FeedWeb(container: container)
            .application(host: "127.0.0.1", port: 0, inspectToken: "token", logger: .silent)
            .test(.live) { client in try await body(client, container.dispatcher) }
        await container.dispose()
    }

    /// The messages with the sources that the page shows, the newest first.
    private func sources(_ client: any TestClientProtocol) async throws -> [String] {
        let html = String(
            buffer: try await client.execute(uri: "/inspect", method: .get, headers: [.cookie: "inspect=token"]).body
        )
        return html.matches(
            of:
                /<\/span>([A-Za-z]+)<\/span> <span class="faint">(?:query|command)[^<]*<\/span><\/td>\s*<td><span class="source ([a-z]+)">/
        )
        .map { "\($0.1) \($0.2)" }
    }
}
