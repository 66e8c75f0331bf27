import Duet
import DuetCaching
public import DuetCluster
import DuetClusterEngine
public import DuetDependencies
import DuetHTTP
import FeedAPI
import FeedCache
import FeedFeature
import Foundation
import Logging

/// The client's registrations: the server, the cache, and a handler for each message that a screen sends.
///
/// ``Environment`` must be registered too, with the time and the logger.
public struct ClientModule: ContainerModule {
    private let options: ClientOptions
    private let baseURL: BaseURL
    private let cluster: (any ClusterEngine)?
    private let onWarning: FeedClient.WarningHandler

    /// Creates the module with options.
    ///
    /// - Parameters:
    ///   - cluster: The cluster that carries the messages; nil for HTTP. The bytes of images stay on HTTP.
    ///   - onWarning: Called if a damaged file was replaced, or if a file cannot be opened and is not used.
    /// - Throws: `InvalidBaseURL` when the options' remote cannot be a server's address; `ExposedToken`.
    public init(
        _ options: ClientOptions,
        through cluster: (any ClusterEngine)? = nil,
        onWarning: @escaping FeedClient.WarningHandler
    ) throws {
        self.options = options
        self.cluster = cluster
        self.onWarning = onWarning
        baseURL = try BaseURL(options.remote)
        try options.credentials?.check(sendingTo: options.remote)
    }

    /// Registers the server, the cache, the loaders and the handlers.
    public func register(in builder: ContainerBuilder) {
        registerServer(in: builder)
        registerSender(in: builder)
        registerCache(in: builder)
        registerImages(in: builder)
        registerOutbox(in: builder)
        // Before the cache shows a command's effect, and before a handler changes the limit of a query.
        builder.middleware(ValidationMiddleware())
        builder.middleware { (local: LocalFeedLoader, logger: Logger) in
            InterceptingMiddleware.searchingOffline(in: local, report: logger.report)
        }
        builder.middleware { (local: LocalFeedLoader, logger: Logger) in
            InterceptingMiddleware.findingNeighborsOffline(in: local, report: logger.report)
        }
        builder.middleware { (cache: QueryCache) in cache }
        builder.middleware { (server: RemoteDispatcher) in RemoteUpdates(server: server) }
        builder.handlers {
            LoadFeedHandler.self
            LoadImageDataHandler.self
            LoadKeptImageDataHandler.self
            LoadFeedCacheSummaryHandler.self
            RemoveInvalidFeedCacheHandler.self
            ClearFeedCacheHandler.self
            ForgetImagesHandler.self
        }
        builder.handlers(of: .feed, by: SenderDispatcher.self)
    }

    private func registerServer(in builder: ContainerBuilder) {
        builder.singleton((any HTTPClient).self) {
            [options] (clock: any Clock<Duration>, logger: Logger, now: CurrentDate) in
            FeedHTTPClient(options, clock: clock, logger: logger, now: now.callAsFunction)
        }
        // Only messages carry the token, because an image's URL may point anywhere.
        let http = { @Sendable [baseURL, options] (client: any HTTPClient) throws -> RemoteDispatcher in
            let client = options.credentials.map { client.authenticated(by: .bearer($0.token)) } ?? client
            return try RemoteDispatcher(baseURL: baseURL, client: client)
        }
        guard let cluster else {
            builder.singleton { (client: any HTTPClient) in try http(client) }
            return
        }
        // For the page for developers.
        builder.singleton((any CommandLog).self) { cluster.commands }
        builder.singleton { [options] (client: any HTTPClient, now: CurrentDate, clock: any Clock<Duration>) in
            let images = try http(client)
            return try RemoteDispatcher(through: cluster, images: images, at: options.remote, now: now, clock: clock)
        }
    }

    private func registerSender(in builder: ContainerBuilder) {
        // A server that sends for several people overrides this for each request.
        builder.singleton { SenderToken() }
        // A cluster carries only the hashes of tokens.
        let remote = cluster == nil ? options.remote : nil
        builder.transient { (server: RemoteDispatcher, sender: SenderToken) in
            SenderDispatcher(server, at: remote, sender: sender)
        }
    }

    private func registerCache(in builder: ContainerBuilder) {
        builder.singleton { [options, onWarning] (logger: Logger) in
            try await options.openStore { warning in
                logger.notice("\(warning)")
                onWarning(warning)
            }
        }
        builder.transient((any FeedStore).self) { (store: any FeedStore & FeedImageDataStore) in store }
        builder.transient((any FeedImageDataStore).self) { (store: any FeedStore & FeedImageDataStore) in store }
        builder.singleton { (calendar: Calendar) in FeedCachePolicy(calendar: calendar) }
        builder.singleton { (store: any FeedStore, policy: FeedCachePolicy, now: CurrentDate) in
            LocalFeedLoader(store: store, policy: policy, now: now.callAsFunction)
        }
        builder.singleton { (now: CurrentDate, clock: any Clock<Duration>) in
            try QueryCache.client(now: now, clock: clock)
        }
    }

    private func registerOutbox(in builder: ContainerBuilder) {
        builder.singleton {
            [options, onWarning] (now: CurrentDate, newID: NewID, clock: any Clock<Duration>, logger: Logger) in
            try await options.makeQueue(now: now, newID: newID, clock: clock, logger: logger, onWarning: onWarning)
        }
        builder.singleton((any CommentOutbox).self) {
            [options, baseURL, cluster]
            (
                queue: CommandQueue,
                server: RemoteDispatcher,
                client: any HTTPClient,
                cache: QueryCache,
                clock: any Clock<Duration>
            ) in
            let sender = CommentSender(
                server: server,
                // A cluster gets a token only with a message.
                anonymous: cluster == nil ? try RemoteDispatcher(baseURL: baseURL, client: client) : server,
                servesReaders: options.servesReaders
            )
            return try QueuedComments(queue, sender: sender, cache: cache, clock: clock)
        }
    }

    private func registerImages(in builder: ContainerBuilder) {
        // A singleton, because several requests share a load, so that it is logged as none of theirs.
        builder.singleton((any FeedImageDataLoader).self) {
            (store: any FeedImageDataStore, client: any HTTPClient, logger: Logger) in
            let local = LocalFeedImageDataLoader(store: store)
            return local.fallingBack(
                to: RemoteFeedImageDataLoader(client: client)
                    .validated()
                    .caching(into: local, report: logger.report),
                report: logger.report
            )
        }
    }
}
