import Duet
import DuetCaching
public import DuetDependencies
public import DuetHTTP
import DuetHummingbird
import FeedAPI
import FeedFeature
import FeedServing
public import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The server side of the feed: an HTTP API in front of the messages' handlers.
///
/// The API uses only the dispatcher, so the same messages can be sent from within the process.
public struct FeedBackend: Sendable {
    private let container: Container

    /// Creates a backend on a container that includes ``BackendModule``.
    ///
    /// - Parameter container: Provides an `any Dispatcher` for the messages of `MessageAPI.feed`,
    ///   `IsImagePublished` and `LoadTokenHolder`, and a `MessageOrigin`, which each request overrides.
    public init(container: Container) {
        self.container = container
    }

    /// Returns the HTTP API as an application, to run alone or in a service group.
    ///
    /// Each request is handled in a separate scope.
    ///
    /// - Parameters:
    ///   - host: The address to listen on. On a loopback address, requests for other host names are refused, as a
    ///     defense against DNS rebinding.
    ///   - port: The port to listen on; 0 for any free one, which the channel of `onServerRunning` reports.
    ///   - publicURL: The base of the images' URLs; by default `http://` and the host of the request.
    ///   - closedComments: Whether posting a comment requires a token.
    ///   - pageServers: The IP addresses of servers that limit their readers themselves, and post the comments of all.
    ///     They have no quota here.
    ///   - exposesMetrics: Whether everyone who can reach the server may read `/metrics`. Otherwise it is for requests
    ///     from this machine, and for nobody if there is a public URL.
    ///   - onServerRunning: Called when the server is listening.
    ///   - logger: Logs internal failures.
    /// - Throws: `InvalidBaseURL`; `InvalidMessageAPI`, which the tests rule out.
    public func application(
        host: String = "127.0.0.1",
        port: Int = 8_080,
        publicURL: URL? = nil,
        closedComments: Bool = false,
        pageServers: Set<String> = [],
        exposesMetrics: Bool = false,
        onServerRunning: @escaping @Sendable @concurrent (_ channel: any Channel) async -> Void = { _ in },
        logger: Logger? = nil
    ) throws -> some ApplicationProtocol {
        // A proxy on this machine may forward its public name.
        let publicName = publicURL?.host(percentEncoded: true)
        let router = Router(context: ScopedRequestContext.self)
        router.addTelemetry()
        router.add(middleware: CompressionMiddleware())
        router.add(middleware: HostMiddleware(.listening(on: host, names: Set([publicName].compactMap(\.self)))))
        router.addMetrics(isExposed: exposesMetrics, isForwarded: publicURL != nil)
        router.health(checks: [database])
        try mountMessages(on: router, at: publicURL, closedComments: closedComments)
        return router.application(
            in: container,
            host: host,
            port: port,
            limits: ServerLimits(headerSize: Self.textsLimit),
            overriding: { [pageServers = Set(pageServers.compactMap(IPAddress.init))] request, context in
                let origin = Override {
                    MessageOrigin {
                        let address = context.clientAddress
                        let client = request.clientAddress(connectedFrom: address, isForwarded: publicURL != nil)
                        return client.flatMap { IPAddress($0).map(pageServers.contains) == true ? nil : $0 }
                    }
                }
                return [origin]
            },
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    /// The size of the texts of an image, with everything else.
    private static let textsLimit = PublishImage.encodedTextsLimit + 16_384

    private func mountMessages(
        on router: Router<ScopedRequestContext>,
        at address: URL?,
        closedComments: Bool
    ) throws {
        // Queried before the command is handled, so two simultaneous requests may both receive 201.
        let status = SuccessStatus(of: PublishImage.self) { image, dispatcher in
            try await dispatcher.dispatch(IsImagePublished(id: image.id)) ? .noContent : .created
        }
        // A page server observes the images that its readers have open.
        let live = LiveOptions(streamsPerClient: 1_000)
        try router.mount(
            .feed(closedComments: closedComments),
            authenticator: tokens,
            options: MountOptions(
                settings: .feed,
                statuses: [status],
                address: address.map(BaseURL.init),
                maximumJSONBody: Self.textsLimit,
                live: live
            )
        ) { [container] request, context in
            // The value of a query is for all, and a load or a stream of events lasts longer than a request.
            if [.get, .head].contains(request.method) { return try await container.dispatcher }
            return try await context.dispatcher
        }
    }

    /// Looks tokens up in the database, so that new and revoked tokens need no restart.
    private var tokens: StaticTokenAuthenticator {
        StaticTokenAuthenticator { [container] hash in
            let dispatcher = try await container.dispatcher
            return try await dispatcher.dispatch(LoadTokenHolder(hash: "\(hash)"))
        }
    }

    private var database: HealthCheck {
        HealthCheck("database") { [container] in
            let dispatcher = try await container.dispatcher
            _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
        }
    }
}

/// The backend's registrations: its database, a handler for each of its messages, and the seeder.
///
/// `CurrentDate` must be registered elsewhere.
public struct BackendModule: ContainerModule {
    /// How many comments a principal, or an address without one, may post in a minute by default.
    public static let commentsPerMinute = 300

    private let database: String
    private let comments: ClientQuota

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - path: The path of the database, which is opened on first use.
    ///   - comments: How often a principal, or an address without one, may post a comment over HTTP.
    public init(
        database path: String,
        comments: ClientQuota = ClientQuota(Self.commentsPerMinute, per: .seconds(60))
    ) {
        database = path
        self.comments = comments
    }

    /// Registers the database, the handlers and the seeder.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [database] in try await FeedDatabase(path: database) }
        // For messages from within this process and from a cluster; each request has its own.
        builder.singleton { MessageOrigin() }
        builder.singleton { [comments] in comments }
        // One for each dispatch, with the handler and everything that the handler resolves.
        builder.scoped { (database: FeedDatabase, now: CurrentDate) in UnitOfWork(database, now: now) }
        builder.transient { (database: FeedDatabase, now: CurrentDate) in
            FeedSeeder(database: database, now: now.callAsFunction)
        }
        builder.singleton { (database: FeedDatabase, now: CurrentDate) in
            try QueryCache.backend(tracking: database, now: now)
        }
        builder.middleware { (cache: QueryCache) in cache }
        builder.handlers {
            PublishImageHandler.self
            RemoveImageHandler.self
            CorrectImageHandler.self
            LoadFeedHandler.self
            LoadImageDetailsHandler.self
            LoadNeighborsHandler.self
            LoadNewestImageHandler.self
            LoadRemovedImagesHandler.self
            SearchFeedHandler.self
            LoadPublishedImageDataHandler.self
            IsImagePublishedHandler.self

            PostImageCommentHandler.self
            RemoveImageCommentHandler.self
            LoadImageCommentsHandler.self

            KeepTokenHandler.self
            RevokeTokenHandler.self
            LoadTokensHandler.self
            LoadTokenHolderHandler.self
            LoadPermissionsHandler.self
        }
    }
}
