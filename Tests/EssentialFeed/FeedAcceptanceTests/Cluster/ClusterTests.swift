import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetDependencies
import DuetTesting
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Logging
import Synchronization
import Testing

/// Backends and pages as the nodes of a cluster: the real servers, with an engine in this process.
@Suite(.timeLimit(.minutes(5))) struct ClusterTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a page shows the feed of the workers, with the bytes of its images`() async throws {
        try await RunningCluster.with(in: directory) { cluster in
            let page = cluster.pages[0].dispatcher
            let feed = try await page.dispatch(LoadFeed(limit: 5))
            #expect(feed.source == .remote && feed.failure == nil)
            #expect(feed.images.count == 5)
            let image = try #require(feed.images.first)
            #expect(image.url.port == cluster.workers.last?.url.port)
            #expect(try await !page.dispatch(LoadImageData(url: image.url)).isEmpty)
            let found = try await page.dispatch(SearchFeed(image.description, limit: 5))
            #expect(found.images.map(\.id) == [image.id])
        }
    }

    @Test func `a comment on one page appears on an open page of another node`() async throws {
        try await RunningCluster.with(pages: 2, in: directory) { cluster in
            let (first, second) = (cluster.pages[0].dispatcher, cluster.pages[1].dispatcher)
            let image = try #require(try await first.dispatch(LoadFeed()).images.first)
            var counts = QueryUpdates(second.observe(LoadImageComments(imageID: image.id)).map(\.comments.count))
            guard case .value(let count) = await counts.next() else { return #expect(Bool(false), "no comments") }
            try await first.dispatch(comment(1, on: image.id))
            guard case .value(count + 1) = await counts.next() else {
                return #expect(Bool(false), "the comment did not arrive")
            }
        }
    }

    @Test func `queries and commands go on when a worker is lost`() async throws {
        try await RunningCluster.with(in: directory) { cluster in
            let page = cluster.pages[0].dispatcher
            let image = try #require(try await page.dispatch(LoadFeed()).images.first)
            let count = try await page.dispatch(LoadImageComments(imageID: image.id)).comments.count
            for n in 1...10 {
                if n == 4 { cluster.workers[0].node.disconnect() }
                try await page.dispatch(comment(n, on: image.id))
                #expect(try await page.dispatch(LoadImageComments(imageID: image.id)).comments.count == count + n)
            }
            let statistics = try await cluster.engine.commands.statistics()
            #expect(statistics == LogStatistics())
        }
    }

    @Test func `the errors of the handlers arrive as over HTTP`() async throws {
        try await RunningCluster.with(workers: 1, in: directory) { cluster in
            let page = cluster.pages[0].dispatcher
            let unknown = try UUID.numbered(99)
            await #expect(throws: ImageNotFound(id: unknown)) { try await page.dispatch(comment(1, on: unknown)) }
            await #expect(throws: ImageNotFound(id: unknown)) {
                try await page.dispatch(LoadImageComments(imageID: unknown))
            }
            #expect(try await cluster.engine.commands.statistics().deadLetters == 0)
        }
    }

    @Test func `a page without workers reports that the server cannot be reached`() async throws {
        let client = ClientOptions(remote: try #require(URL(string: "http://127.0.0.1:1")), cache: nil)
        let environment = Environment(clock: SkippingClock(), logger: .none)
        let cluster = InProcessCluster()
        let container = try Container.page(client, environment: environment, cluster: cluster, onWarning: { _ in })
        try await container.ending { container in
            let page = try await container.dispatcher
            let feed = try await page.dispatch(LoadFeed())
            #expect(feed.source == .nowhere)
            #expect(feed.failure?.kind == .connectivity)
            let error = await #expect(throws: RemoteFailure.self) {
                try await page.dispatch(comment(1, on: try .numbered(1)))
            }
            #expect(error?.kind == .connectivity)
        }
    }

    @Test func `a comment that comes to a worker over HTTP appears on the pages of the cluster`() async throws {
        try await RunningCluster.with(workers: 1, in: directory) { cluster in
            let page = cluster.pages[0].dispatcher
            let image = try #require(try await page.dispatch(LoadFeed()).images.first)
            var counts = QueryUpdates(page.observe(LoadImageComments(imageID: image.id)).map(\.comments.count))
            guard case .value(let count) = await counts.next() else { return #expect(Bool(false), "no comments") }
            try await FeedClient.withDispatcher(
                ClientOptions(remote: cluster.workers[0].url, cache: nil),
                environment: Environment(logger: .none),
                onWarning: { _ in }
            ) { try await $0.dispatch(comment(1, on: image.id)) }
            guard case .value(count + 1) = await counts.next() else {
                return #expect(Bool(false), "the comment did not arrive")
            }
        }
    }

    @Sendable private func comment(_ n: Int, on image: UUID) throws -> PostImageComment {
        PostImageComment(id: try .numbered(n), imageID: image, message: "Comment \(n)", username: "reader")
    }
}

/// A clock whose sleepers wake up at once, at their time.
private final class SkippingClock: Clock {
    private let time = Mutex(ContinuousClock().now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
