import FeedProxy
public import Foundation
import ServiceLifecycle

extension FeedServers {
    /// Runs a proxy before another server.
    ///
    /// - Throws: `InvalidOrigin`; ``ServerError`` when it cannot listen.
    public func runProxy(
        _ options: ProxyOptions,
        onReady: @escaping @Sendable (_ proxy: URL) async -> Void
    ) async throws {
        let client = try OriginClient(Origin(options.origin))
        defer { client.shutdown() }
        let proxy = ServerService(host: options.host, port: options.port, onListening: onReady) { onServerRunning in
            ProxyServer(
                client: client,
                host: options.host,
                port: options.port,
                onServerRunning: onServerRunning,
                logger: environment.logger
            )
        }
        try await group([proxy]).run()
    }
}
