import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import FeedProxy
public import Foundation
import Logging
import ServiceLifecycle

extension FeedServers {
    /// Runs a proxy with a cache before another server.
    ///
    /// - Throws: `InvalidOrigin`; `InvalidAuthorities`; ``ServerError`` when it cannot listen; `SQLiteHTTPCacheError` when there is no such file.
    public func runProxy(
        _ options: ProxyOptions,
        onReady: @escaping @Sendable (_ proxy: URL) async -> Void
    ) async throws {
        let origin = try Origin(options.origin)
        let network = try OriginClient(origin, settings: OriginSettings(authorities: options.authorities))
        defer { network.shutdown() }
        let logger = environment.logger
        let store = try options.store.map { file in
            try SQLiteHTTPCacheStore(
                path: file.path(percentEncoded: false),
                capacity: options.capacity,
                onLoss: { logger.warning("\($0)") }
            )
        }
        let client = network.caching(
            in: store ?? MemoryHTTPCacheStore(capacity: options.capacity),
            policy: options.isShared ? .shared : .private,
            // A file may have been another origin's, whose clients named this proxy as well.
            configuration: .init(namespace: "\(origin)", now: environment.now)
        ) {
            logger.warning("\($0)")
        }
        var generator = environment.generator
        // Nobody else's name, so that a proxy that is its own origin sees itself.
        let pseudonym = "feed-" + String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36)
        let proxy = ServerService(host: options.host, port: options.port, onListening: onReady) { onServerRunning in
            ProxyServer(
                client: client,
                host: options.host,
                port: options.port,
                pseudonym: pseudonym,
                authority: origin.authority,
                onServerRunning: onServerRunning,
                logger: logger
            )
        }
        let revalidation = ClosureService { await cancelWhenGracefulShutdown { await client.run() } }
        try await group([revalidation, proxy]).run()
    }
}
