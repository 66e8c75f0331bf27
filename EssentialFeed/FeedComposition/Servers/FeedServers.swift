public import Duet
import DuetCaching
import DuetCluster
import DuetDependencies
import DuetTelemetry
import FeedBackend
import FeedFeature
import FeedWeb
public import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs the application's servers until the process receives SIGINT or SIGTERM, or the task is canceled.
///
/// Servers end in the reverse order of their start, each after its requests in flight. A time limit keeps slow clients
/// from delaying the end, and another one keeps everything else from it, such as the connection to a cluster.
public struct FeedServers: Sendable {
    /// Receives the progress of the seeding, in images.
    public typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    private static let removalInterval = Duration.seconds(60 * 60)

    let environment: Environment
    private let cluster: FeedCluster?
    private let shutdownLimit: Duration

    /// Creates servers in an environment.
    ///
    /// - Parameters:
    ///   - cluster: The cluster whose messages backends handle and pages send; nil for HTTP alone.
    ///   - shutdownLimit: The time after the signal after which the remaining requests are aborted. Two seconds later,
    ///     whatever has not ended is left alone.
    public init(environment: Environment, cluster: FeedCluster? = nil, shutdownLimit: Duration = .seconds(8)) {
        self.environment = environment
        self.cluster = cluster
        self.shutdownLimit = shutdownLimit
    }

    /// Runs the backend alone.
    ///
    /// - Throws: ``ServerError`` when it cannot listen; the database's or the seed's own error.
    public func runBackend(
        _ options: BackendOptions,
        progress: @escaping Progress,
        onReady: @escaping @Sendable (_ backend: URL) async -> Void
    ) async throws {
        try await withEngine { engine, shutdown in
            try await Container.backend(options, environment: environment).use { container in
                let backend = try await backend(options, engine, container, progress: progress, onReady: onReady)
                try await group(backend + [shutdown]).run()
            }
        }
    }

    /// Runs the page alone, with a backend elsewhere.
    ///
    /// - Throws: ``ServerError`` when it cannot listen; `SQLiteStoreError` if a required file cannot be opened.
    public func runWeb(
        _ options: WebOptions,
        client: ClientOptions,
        onWarning: @escaping FeedClient.WarningHandler,
        onReady: @escaping @Sendable (_ page: URL) async -> Void
    ) async throws {
        try await runWeb(options, client: client, onWarning: onWarning, handlesSignals: true) { page, _ in
            await onReady(page)
        }
    }

    /// Runs backend and page in this process.
    ///
    /// - Parameter client: The options of the page's client, whose remote is replaced by the backend's address.
    /// - Throws: ``ServerError`` when one of them cannot listen; the seed's own error; `SQLiteStoreError`.
    public func runDemo(
        backend backendOptions: BackendOptions,
        web webOptions: WebOptions,
        client: ClientOptions,
        onWarning: @escaping FeedClient.WarningHandler,
        progress: @escaping Progress,
        onReady: @escaping @Sendable (_ backend: URL, _ page: URL, _ dispatcher: any QueryDispatcher) async -> Void
    ) async throws {
        let (addresses, announcement) = AsyncStream.makeStream(of: URL.self)
        let web = ClosureService {
            // The backend's address is known once it is listening, because its port may be any free one.
            guard let remote = await addresses.first(where: { _ in true }) else { return }
            var client = client
            client.remote = remote
            try await runWeb(webOptions, client: client, onWarning: onWarning, handlesSignals: false) {
                await onReady(remote, $0, $1)
            }
        }
        try await withEngine { engine, shutdown in
            try await Container.backend(backendOptions, environment: environment).use { container in
                let backend = try await backend(backendOptions, engine, container, progress: progress) {
                    announcement.yield($0)
                }
                try await group(backend + [web, shutdown]).run()
            }
        }
    }
}

extension FeedServers {
    /// Runs the page alone, and provides its dispatcher.
    package func runWeb(
        _ options: WebOptions,
        client: ClientOptions,
        onWarning: @escaping FeedClient.WarningHandler,
        handlesSignals: Bool,
        onReady: @escaping @Sendable (_ page: URL, _ dispatcher: any Dispatcher) async -> Void
    ) async throws {
        try await withEngine { engine, shutdown in
            let container = try Container.page(
                client,
                environment: environment,
                cluster: engine,
                inspects: options.inspectToken != nil,
                onWarning: onWarning
            )
            try await container.use { container in
                try await container.openStore()
                // Sends the comments of an earlier launch.
                _ = try await container.resolve((any CommentOutbox).self)
                let dispatcher = try await container.dispatcher
                let cache: QueryCache = try await container.resolve()
                let node: [any Service] = try engine.map { try invalidation(of: cache, in: $0) } ?? []
                let page = page(options, container) { await onReady($0, dispatcher) }
                try await group(
                    node + [measurement(of: cache), removal(dispatcher), forgetting(in: container), page, shutdown],
                    handlesSignals: handlesSignals
                ).run()
            }
        }
    }

    /// Runs `body` as a node of the cluster, if there is one, and leaves it alone if it does not end in time.
    ///
    /// - Parameter body: Runs the service that it receives as the last one of its group, so that the time begins.
    private func withEngine(
        _ body: @escaping @Sendable @concurrent ((any ClusterEngine)?, _ shutdown: ClosureService) async throws -> Void
    ) async throws {
        LargeAllocations.returnToSystem()
        let isEnding = Monitor(false)
        let shutdown = ClosureService {
            try? await gracefulShutdown()
            isEnding.update { $0 = true }
        }
        let limit = shutdownLimit + .seconds(2)
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        let setTimer = { [clock = environment.clock] (servers: AbandonableOperation) in
            timer = Task {
                try await isEnding.wait { $0 ? () : nil }
                try await clock.sleep(for: limit)
                servers.abandon()
            }
        }
        let end: Void? = try await abandonable(onStart: setTimer) { [cluster] in
            guard let cluster else { return try await body(nil, shutdown) }
            try await cluster.use { try await body($0, shutdown) }
        }
        if end == nil { environment.logger.error("The servers did not end within \(limit): what remains is aborted.") }
    }

    private func backend(
        _ options: BackendOptions,
        _ engine: (any ClusterEngine)?,
        _ container: Container,
        progress: @escaping Progress,
        onReady: @escaping @Sendable (URL) async -> Void
    ) async throws -> [any Service] {
        let seeder: FeedSeeder = try await container.resolve()
        switch options.seed {
        case .samples: try await seeder.seed(from: FeedSeeder.samples, progress: progress)
        case .folder(let folder): try await seeder.seed(from: folder, progress: progress)
        case .nothing: break
        }
        let server = ServerService(host: options.host, port: options.port, onListening: onReady) { onServerRunning in
            try FeedBackend(container: container).application(
                host: options.host,
                port: options.port,
                publicURL: options.publicURL,
                closedComments: options.closedComments,
                pageServers: options.pageServers,
                exposesMetrics: options.exposesMetrics,
                onServerRunning: onServerRunning,
                logger: environment.logger
            )
        }
        let versions = options.resizesImages ? [versions(container)] : []
        guard let engine else { return versions + [server] }
        return try await versions + worker(of: engine, options, container) + [server]
    }

    private func page(
        _ options: WebOptions,
        _ container: Container,
        onReady: @escaping @Sendable (URL) async -> Void
    ) -> ServerService {
        ServerService(host: options.host, port: options.port, onListening: onReady) { onServerRunning in
            FeedWeb(container: container).application(
                host: options.host,
                port: options.port,
                publicURL: options.publicURL,
                exposesMetrics: options.exposesMetrics,
                inspectToken: options.inspectToken,
                onServerRunning: onServerRunning,
                logger: environment.logger
            )
        }
    }

    private func versions(_ container: Container) -> ClosureService {
        ClosureService {
            try await cancelWhenGracefulShutdown {
                // Here, because the trial of the isolation starts programs, which would delay the server. Only the end
                // of the service makes it throw.
                guard let resizer = try? await VipsImageResizer() else { return }
                let maker = VersionMaker(
                    try await container.resolve(),
                    resizer,
                    try await container.dispatcher,
                    now: CurrentDate(environment.now),
                    clock: environment.clock,
                    logger: environment.logger
                )
                await maker.run()
            }
            // A service that ends would end the others.
            try? await gracefulShutdown()
        }
    }

    /// Reports the reads of the client's cache as metrics.
    private func measurement(of cache: QueryCache) -> ClosureService {
        ClosureService { [clock = environment.clock] in
            await cancelWhenGracefulShutdown { await cache.reportMetrics(clock: clock) }
        }
    }

    private func removal(_ dispatcher: any CommandDispatcher) -> PeriodicCommand<RemoveInvalidFeedCache> {
        PeriodicCommand(
            command: RemoveInvalidFeedCache(),
            interval: Self.removalInterval,
            dispatcher: dispatcher,
            clock: environment.clock,
            report: environment.logger.report
        )
    }

    /// Forgets the images that the backend removes.
    private func forgetting(in container: Container) -> ClosureService {
        ClosureService {
            await cancelWhenGracefulShutdown { await FeedWeb(container: container).forgetRemovedImages() }
            // A service that ends would end the others.
            try? await gracefulShutdown()
        }
    }

    private func group(_ services: [any Service], handlesSignals: Bool = true) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: handlesSignals ? [.sigint, .sigterm] : [],
            logger: environment.logger
        )
        configuration.maximumGracefulShutdownDuration = shutdownLimit
        return ServiceGroup(configuration: configuration)
    }
}
