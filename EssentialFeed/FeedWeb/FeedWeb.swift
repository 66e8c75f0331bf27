public import DuetDependencies
public import DuetHTTP
import DuetHummingbird
import FeedServing
public import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The feed as pages for a browser, which connects to this server only.
///
/// All content comes from a dispatcher, so the pages do not depend on the network or a cache. They work without script;
/// `page.js` adds loading by scrolling, refreshing in place, retrying, live changes, and comments without leaving the
/// page. With `sw.js`, pages that were opened before open without this server, and comments wait for it.
public struct FeedWeb: Sendable {
    let container: Container

    /// Creates the pages on a container that includes ``WebModule``.
    public init(container: Container) {
        self.container = container
    }

    /// Returns the server, to run in a service group.
    ///
    /// Each request is handled in a separate scope. On a loopback address, the server refuses requests for any other
    /// host name, as a defense against DNS rebinding.
    ///
    /// - Parameters:
    ///   - host: The address to bind to.
    ///   - port: The port to bind to; 0 for any free one.
    ///   - publicURL: The address under which browsers reach the pages, behind a server that forwards requests to this
    ///     one; nil without one. With https, browsers send the session's cookie only encrypted, and the pages are
    ///     only for https (`Strict-Transport-Security`, a year).
    ///   - exposesMetrics: Whether everyone who can reach the server may read `/metrics`. Otherwise it is for requests
    ///     from this machine, and for nobody if there is a public address.
    ///   - inspectToken: The token with which developers on this machine can see what the program is doing, at
    ///     `/inspect?token=`; nil to show nothing. It needs
    ///     ``InspectModule``, and is not available with a public address.
    ///   - onServerRunning: Called with the bound channel once the server listens.
    ///   - logger: Logs failures.
    public func application(
        host: String,
        port: Int,
        publicURL: URL? = nil,
        exposesMetrics: Bool = false,
        inspectToken: String? = nil,
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void = { _ in },
        logger: Logger
    ) -> some ApplicationProtocol {
        let address = SiteAddress(publicURL)
        let router = router(host: host, publicName: publicURL?.host(percentEncoded: true), address: address)
        router.addMetrics(isExposed: exposesMetrics, isForwarded: publicURL != nil)
        // The pages are there without the backend, too.
        router.health()
        if let inspectToken, publicURL == nil {
            InspectPages(container: container, token: inspectToken).add(to: router)
        }
        return router.application(
            in: container,
            host: host,
            port: port,
            overriding: { request, context in
                let logger = context.logger
                return [Override(Logger.self) { logger }] + Session(request, at: address).overrides
            },
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    private func router(host: String, publicName: String?, address: SiteAddress) -> Router<ScopedRequestContext> {
        let router = Router(context: ScopedRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.addTelemetry()
        router.addMiddleware {
            CompressionMiddleware()
            SecurityHeaders(address: address)
            LanguageCookie(address: address)
            ErrorPages(address: address)
            // A server on this machine may forward the public name.
            HostMiddleware(.listening(on: host, names: Set([publicName].compactMap(\.self))))
            CommandsOnly(address: address)
        }
        addQueries(to: router, address)
        addEvents(to: router, address)
        addCommands(to: router, address)
        for asset in Asset.all {
            router.get(RouterPath(asset.path)) { request, _ in try asset.response(to: request) }
        }
        return router
    }

    private func addQueries(to router: Router<ScopedRequestContext>, _ address: SiteAddress) {
        router.get("/") { try await $1.feed.feedPage($0, Visit($0, at: address)) }
        router.get("/feed") { try await $1.feed.nextPage($0, Visit($0, at: address)) }
        router.get("/images/:id") { try await $1.images.imagePage($0, $1, Visit($0, at: address)) }
        router.get("/images/:id/data") { try await $1.feed.imageData($0, $1) }
        router.get("/images/:id/remove") { try await $1.images.removalPage($1, Visit($0, at: address)) }
        router.get("/images/:id/edit") { try await $1.publishing.editingPage($1, Visit($0, at: address)) }
        router.get("/images/:id/comments/:comment/remove") {
            try await $1.images.commentRemovalPage($1, Visit($0, at: address))
        }
        router.get("/publish") { try await $1.publishing.publishPage(Visit($0, at: address)) }
        router.get("/sign-in") { request, _ in try SessionPages.signInPage(request, Visit(request, at: address)) }
        // For browsers to keep, and to show in place of any other page.
        router.get(RouterPath(Visit.offlinePath)) { request, _ in
            try Response.offlinePage(Visit(request, at: address))
        }
        // The address of a form whose response was shown, and the former address of the comments.
        router.get("/images/:id/comments") { request, context in
            _ = try context.imageID
            let visit = Visit(request, at: address)
            return Response.seeOther(visit.link(to: visit.path, visit.position, fragment: "comments"))
        }
    }

    private func addEvents(to router: Router<ScopedRequestContext>, _ address: SiteAddress) {
        let pages = LivePages(container: container, address: address)
        router.get("/live") { try await pages.feed($0, $1) }
        router.get("/images/:id/live") { try await pages.comments($0, $1, Visit($0, at: address)) }
    }

    private func addCommands(to router: Router<ScopedRequestContext>, _ address: SiteAddress) {
        for command in PageCommand.allCases {
            router.post(RouterPath(command.path)) { request, context in
                let visit = Visit(request, at: address)
                return switch command {
                case .comment: try await context.images.comment(request, context, visit)
                case .removeComment:
                    try await request.withoutFields { try await context.images.removeComment(context, visit) }
                case .correct: try await context.publishing.correct(request, context, visit)
                case .remove: try await request.withoutFields { try await context.images.remove(context, visit) }
                case .publish: try await context.publishing.publish(request, visit)
                case .signIn: try await SessionPages.signIn(request, context, visit)
                case .signOut: try await request.withoutFields { SessionPages.signOut(visit) }
                }
            }
        }
    }
}

extension ScopedRequestContext {
    fileprivate var feed: FeedPages {
        get async throws { try await scope.resolve() }
    }

    fileprivate var images: ImagePages {
        get async throws { try await scope.resolve() }
    }

    fileprivate var publishing: PublishPages {
        get async throws { try await scope.resolve() }
    }
}

/// The registrations of the pages for a browser.
///
/// These must be registered elsewhere: the dispatcher, with handlers for `LoadFeed`, `SearchFeed`,
/// `LoadFeedCacheSummary`, `LoadImageData`, `LoadKeptImageData`, `LoadImageComments`, `LoadPermissions`,
/// `PostImageComment`, `PublishImage`, `CorrectImage`, `RemoveImage`, `RemoveImageComment`, `LoadImageDetails`,
/// `LoadNeighbors`, `ForgetImages` and `ClearFeedCache`; `SenderToken`; `CurrentDate`; `NewID`; `Calendar`; and
/// `Logger`.
public struct WebModule: ContainerModule {
    /// The default number of images in a page, which fills large windows, so that the next page joins the last row
    /// before that row is in view.
    public static let pageSize = 30

    private let pageSize: Int
    private let imageLimit: Int
    private let comments: ClientQuota

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - pageSize: The number of images in a page, 1…100.
    ///   - imageLimit: The number of images that the pages remember; they forget the oldest first.
    ///   - comments: How often a reader may try to post a comment; an accepted one again does not count. Behind a
    ///     server that forwards requests, the field `X-Forwarded-For` tells readers apart.
    public init(
        pageSize: Int = Self.pageSize,
        imageLimit: Int = 20_000,
        comments: ClientQuota = ClientQuota(30, per: .seconds(60))
    ) {
        self.pageSize = pageSize
        self.imageLimit = imageLimit
        self.comments = comments
    }

    /// Registers the pages and their common index of images.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [pageSize] in PageSize(images: pageSize) }
        builder.singleton { [imageLimit] in ImageIndex(limit: imageLimit) }
        builder.singleton { [comments] in CommentQuota(comments) }
        builder.singleton { RenderedCards() }
        builder.transient(FeedPages.self)
        builder.transient(ImagePages.self)
        builder.transient(PublishPages.self)
        builder.transient(RemovedImages.self)
    }
}
