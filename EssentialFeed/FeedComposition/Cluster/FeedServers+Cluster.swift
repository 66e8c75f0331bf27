import Duet
import DuetCaching
import DuetCluster
import DuetDependencies
import DuetHTTP
import FeedAPI
import FeedBackend
import Logging
import ServiceLifecycle

extension FeedServers {
    /// Handles the messages of a cluster in a backend's container, each in a separate scope.
    ///
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out; the database's own error.
    func worker(
        of engine: any ClusterEngine,
        _ options: BackendOptions,
        _ container: Container
    ) async throws -> [any Service] {
        let api = try HTTPAPI.feed(closedComments: options.closedComments)
        let failures = LoggingMiddleware(clock: environment.clock) { [logger = environment.logger] event in
            // The sender learns nothing else of an error that it does not know.
            guard let error = event.error, !(error is any DeclaredError), !(error is CancellationError) else { return }
            logger.error("\(event.message) failed: \(error)")
        }
        let dispatcher = try await container.dispatcher.with(failures, ClusterAuthorization(api: api))
        let worker = engine.worker(
            dispatcher,
            caches: [try await container.resolve()],
            options: try .feed(),
            clock: environment.clock
        ) { ClusterMessage.feed() }
        return [worker, measurement(of: engine.commands)]
    }

    /// Makes values of a page's cache stale with the commands of all nodes.
    func invalidation(of cache: QueryCache, in engine: any ClusterEngine) -> [any Service] {
        let invalidation = engine.invalidation(of: cache, clock: environment.clock) { ClusterMessage.feed() }
        return [invalidation, measurement(of: engine.commands)]
    }

    private func measurement(of log: any CommandLog) -> ClosureService {
        ClosureService { [clock = environment.clock] in
            await cancelWhenGracefulShutdown { await log.reportMetrics(clock: clock) }
        }
    }
}
