import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetDependencies
import Logging
import ServiceLifecycle

extension FeedServers {
    /// Handles the messages of a cluster in a backend's container, each in a separate scope.
    ///
    /// - Throws: `InvalidMessageAPI`, which the tests rule out; the database's own error.
    func worker(
        of engine: any ClusterEngine,
        _ options: BackendOptions,
        _ container: Container
    ) async throws -> [any Service] {
        let failures = LoggingMiddleware(clock: environment.clock) { [logger = environment.logger] event in
            // The sender learns nothing else of an error that it does not know.
            guard let error = event.error, !(error is any DeclaredError), !(error is CancellationError) else { return }
            logger.error("\(event.message) failed: \(error)")
        }
        let dispatcher = try await container.dispatcher.with(failures)
        let worker = try ClusterWorker(
            .cluster(closedComments: options.closedComments),
            dispatcher,
            on: engine,
            caches: [try await container.resolve()],
            options: .feed(),
            clock: environment.clock
        )
        return [worker, measurement(of: engine.commands)]
    }

    /// Makes values of a page's cache stale with the commands of all nodes.
    ///
    /// - Throws: `InvalidMessageAPI`, which the tests rule out.
    func invalidation(of cache: QueryCache, in engine: any ClusterEngine) throws -> [any Service] {
        let invalidation = try ClusterInvalidation(.cluster(), of: cache, on: engine, clock: environment.clock)
        return [invalidation, measurement(of: engine.commands)]
    }

    private func measurement(of log: any CommandLog) -> ClosureService {
        ClosureService { [clock = environment.clock] in
            await cancelWhenGracefulShutdown { await log.reportMetrics(clock: clock) }
        }
    }
}
