import Duet
import DuetCluster
import DuetContext
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Logging
import Testing

/// Workers with one database, and pages without one, on a cluster in this process.
struct RunningCluster: Sendable {
    /// A backend that handles the messages of the cluster.
    struct Worker: Sendable {
        let node: InProcessCluster
        let url: URL
    }

    /// The server of a page, with its own cache.
    struct Page: Sendable {
        let url: URL
        let dispatcher: any Dispatcher
    }

    let workers: [Worker]
    let pages: [Page]
    /// A node that handles nothing.
    let engine: InProcessCluster

    /// Runs the servers while `body` runs.
    ///
    /// The pages load the bytes of images from the last worker.
    static func with(
        workers workerCount: Int = 2,
        pages pageCount: Int = 1,
        in directory: TemporaryDirectory,
        closedComments: Bool = false,
        body: (RunningCluster) async throws -> Void
    ) async throws {
        let engine = InProcessCluster()
        try await withThrowingTaskGroup(of: Void.self) { group in
            var workers: [Worker] = []
            for _ in 1...workerCount {
                let node = engine.node()
                let url = try await start(&group) { onReady in
                    try await servers(node).runBackend(
                        BackendOptions(
                            port: 0,
                            database: directory.appending("backend.sqlite"),
                            closedComments: closedComments
                        ),
                        progress: { _, _ in },
                        onReady: onReady
                    )
                }
                workers.append(Worker(node: node, url: url))
            }
            guard let remote = workers.last?.url else { throw CannotStart() }
            var pages: [Page] = []
            for _ in 0..<pageCount {
                let page = try await start(&group) { onReady in
                    try await servers(engine.node()).runWeb(
                        WebOptions(port: 0),
                        client: ClientOptions(remote: remote, cache: nil),
                        onWarning: { _ in },
                        handlesSignals: false
                    ) { await onReady(Page(url: $0, dispatcher: $1)) }
                }
                pages.append(page)
            }
            try await body(RunningCluster(workers: workers, pages: pages, engine: engine))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Starts a server, and returns what it reports when it is ready.
    private static func start<Value: Sendable>(
        _ group: inout ThrowingTaskGroup<Void, any Error>,
        _ run: @escaping @Sendable (_ onReady: @escaping @Sendable (Value) async -> Void) async throws -> Void
    ) async throws -> Value {
        let (values, announcement) = AsyncStream.makeStream(of: Value.self)
        group.addTask {
            defer { announcement.finish() }
            try await run { announcement.yield($0) }
        }
        guard let value = await values.first(where: { _ in true }) else { throw CannotStart() }
        return value
    }

    private static func servers(_ node: InProcessCluster) -> FeedServers {
        FeedServers(environment: Environment(logger: .none), cluster: FeedCluster(node))
    }

    private struct CannotStart: Error {}
}

extension Logger {
    /// Logs nothing.
    static var none: Logger { Logger(label: "cluster", factory: { _ in SwiftLogNoOpLogHandler() }) }
}

extension UUID {
    /// A fixed id for each number.
    static func numbered(_ number: Int) throws -> UUID {
        try #require(UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))"))
    }
}
