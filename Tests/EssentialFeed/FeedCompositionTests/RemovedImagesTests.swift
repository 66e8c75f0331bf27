import Duet
import DuetDependencies
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// Images that somebody else removes, at a page server with a backend behind a socket.
@Suite(.timeLimit(.minutes(5))) struct RemovedImagesTests {
    private let directory: TemporaryDirectory
    private let environment = Environment(now: { .fixture }, logger: .silent)
    private let id = UUID.fixture(1)

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a removal at the backend reaches a page server that is connected`() async throws {
        try await withServers { backend, container async throws in
            let pages = FeedWeb(container: container)
            let client = try await container.dispatcher
            try await pages.application(host: "127.0.0.1", port: 0, logger: .silent).test(.router) {
                page async throws in
                #expect(try await page.execute(uri: "/", method: .get).text.contains(id.uuidString))
                #expect(try await page.execute(uri: "/images/\(id)/data", method: .get).status == .ok)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await pages.forgetRemovedImages() }
                    try await backend.dispatch(RemoveImage(id: id))
                    var data = try await page.execute(uri: "/images/\(id)/data", method: .get)
                    // Before the report arrives, the backend's own answer is that there is no such image.
                    while data.status == .ok || data.status == .notFound {
                        data = try await page.execute(uri: "/images/\(id)/data", method: .get)
                    }
                    #expect(data.status == .gone)
                    group.cancelAll()
                }
                let image = try await page.execute(uri: "/images/\(id)", method: .get)
                #expect(image.status == .gone)
                #expect(image.text.contains("This image was removed, or it never existed."))
                #expect(try await !page.execute(uri: "/", method: .get).text.contains(id.uuidString))
                #expect(try await client.dispatch(LoadFeedCacheSummary())?.images == [])
            }
        }
    }

    @Test func `without the report, the comments of a removed image are the reason to forget it`() async throws {
        try await withServers { backend, container async throws in
            let pages = FeedWeb(container: container)
            try await pages.application(host: "127.0.0.1", port: 0, logger: .silent).test(.router) {
                page async throws in
                _ = try await page.execute(uri: "/", method: .get)
                #expect(try await page.execute(uri: "/images/\(id)/data", method: .get).status == .ok)
                try await backend.dispatch(RemoveImage(id: id))
                #expect(try await page.execute(uri: "/images/\(id)", method: .get).status == .gone)
                #expect(try await page.execute(uri: "/images/\(id)/data", method: .get).status == .gone)
            }
        }
    }

    @Test func `no cache on the way brings the bytes of a removed image back`() async throws {
        try await withServers { backend, container async throws in
            let client = try await container.dispatcher
            let image = try #require(try await client.dispatch(LoadFeed()).images.first)
            #expect(try await client.dispatch(LoadImageData(url: image.url)) == .tinyImage)
            try await backend.dispatch(RemoveImage(id: id))
            try await client.dispatch(ForgetImages(ids: [id]))
            let failure = await #expect(throws: RemoteFailure.self) {
                try await client.dispatch(LoadImageData(url: image.url))
            }
            #expect(failure?.isMissing == true)
        }
    }

    /// Runs `body` with the dispatcher of a backend that has one image, and with the container of a page server.
    private func withServers(
        _ body: @Sendable (_ backend: any Dispatcher, _ page: Container) async throws -> Void
    ) async throws {
        let options = BackendOptions(database: directory.appending("backend.sqlite"))
        let backend = try Container.backend(options, environment: environment)
        let dispatcher = try await backend.dispatcher
        try await dispatcher.dispatch(PublishImage(id: id, description: "A cat", data: .tinyImage))
        try await FeedBackend(container: backend).application(port: 0, logger: .silent).test(.live) { client in
            let port = try #require(client.port)
            let remote = try #require(URL(string: "http://localhost:\(port)/"))
            let page = try Container.page(ClientOptions(remote: remote, cache: nil), environment: environment) {
                Issue.record("\($0)")
            }
            do {
                try await body(dispatcher, page)
            } catch {
                await page.dispose()
                throw error
            }
            await page.dispose()
        }
        await backend.dispose()
    }
}

extension TestResponse {
    fileprivate var text: String { String(buffer: body) }
}
