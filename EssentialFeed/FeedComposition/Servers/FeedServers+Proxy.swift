import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
import DuetSQLite
public import Foundation
import Logging
import ServiceLifecycle

extension FeedServers {
    /// Runs a caching proxy in front of another server.
    ///
    /// - Throws: ``UnreadableAuthorities``; ``ServerError`` when it cannot listen; `SQLiteStoreError` when the store
    ///   cannot be opened.
    public func runProxy(
        _ options: ProxyOptions,
        onReady: @escaping @Sendable (_ proxy: URL) async -> Void
    ) async throws {
        var configuration = NIOHTTPClient.Configuration()
        if let file = options.authorities {
            do {
                try configuration.trust(pem: String(contentsOf: file, encoding: .utf8))
            } catch {
                throw UnreadableAuthorities(path: file.path(percentEncoded: false), underlying: error)
            }
        }
        let logger = environment.logger
        let store: any HTTPCacheStore =
            if let file = options.store {
                try await SQLiteHTTPCacheStore(
                    path: file.path(percentEncoded: false),
                    capacity: options.capacity,
                    onLoss: { logger.warning("\($0)") }
                )
            } else {
                InMemoryHTTPCacheStore(capacity: options.capacity)
            }
        try await withNIOHTTPClient(configuration: configuration, clock: environment.clock) { network in
            let client = OriginClient(base: network, origin: options.origin)
                .retrying(.afterClosedConnection, clock: environment.clock)
                .caching(
                    in: store,
                    policy: options.isShared ? .shared : .private,
                    // The file may have been used in front of another origin.
                    configuration: .init(namespace: "\(options.origin)", now: environment.now)
                ) {
                    logger.warning("\($0)")
                }
            try await run(client, options, onReady: onReady)
        }
    }

    private func run(
        _ client: CachingHTTPClient,
        _ options: ProxyOptions,
        onReady: @escaping @Sendable (_ proxy: URL) async -> Void
    ) async throws {
        var generator = environment.generator
        let responder = ProxyResponder(
            client: DeletionClient(client),
            // Random, so that a proxy whose origin is itself recognizes its own requests.
            pseudonym: "feed-" + String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36),
            authority: options.origin.authority
        )
        let proxy = ServerService(host: options.host, port: options.port, onListening: onReady) { onServerRunning in
            try responder.server(
                host: options.host,
                port: options.port,
                hosts: .listening(on: options.host),
                onServerRunning: onServerRunning,
                logger: environment.logger
            )
        }
        let revalidation = ClosureService { await cancelWhenGracefulShutdown { await client.run() } }
        try await group([revalidation, proxy]).run()
    }
}

extension HTTPRetryPolicy {
    /// The retry policy of a proxy: one more attempt, because the origin may have closed the connection when the
    /// request was already on its way.
    fileprivate static var afterClosedConnection: HTTPRetryPolicy {
        HTTPRetryPolicy(
            maximumAttempts: 2,
            backoff: .constant(.zero),
            statuses: [],
            errors: [.connectionFailed],
            budget: .unlimited
        )
    }
}

/// A file of certificate authorities that cannot be used.
public struct UnreadableAuthorities: Error, CustomStringConvertible {
    /// The path of the file.
    public let path: String

    /// The cause.
    public let underlying: any Error

    /// The failure, and the format of such a file.
    public var description: String {
        "\(path) cannot be used (\(underlying)). "
            + "Give a file of certificates in PEM, which begin with -----BEGIN CERTIFICATE-----."
    }
}
