public import Duet
public import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The feed as pages for a browser, which speaks to this server only.
///
/// Every answer comes from a dispatcher, so the pages neither know nor care whether an image came over the network or from
/// a cache. They can be read without script; `page.js` adds loading by scrolling, refreshing in place and retrying.
public struct FeedWeb: Sendable {
    let dispatcher: any QueryDispatcher
    let images: ImageIndex
    let now: @Sendable () -> Date
    let calendar: Calendar

    /// Makes the pages of their parts.
    ///
    /// - Parameters:
    ///   - dispatcher: Answers `LoadFeed`, `LoadImageData` and `LoadImageComments`.
    ///   - now: The date that ages are told as of.
    ///   - calendar: What days and years are counted in.
    ///   - imageLimit: How many images' addresses are kept at most; those delivered longest ago are forgotten first.
    public init(
        dispatcher: any QueryDispatcher,
        now: @escaping @Sendable () -> Date,
        calendar: Calendar = Calendar(identifier: .gregorian),
        imageLimit: Int = 20_000
    ) {
        self.dispatcher = dispatcher
        self.now = now
        self.calendar = calendar
        images = ImageIndex(limit: imageLimit)
    }

    /// The server, to be run by a service group.
    ///
    /// Bound to a loopback address it answers only requests that name one as their host, so that a page elsewhere cannot
    /// reach it by having a name of its own point here.
    ///
    /// - Parameters:
    ///   - host: The address to bind to.
    ///   - port: The port to bind to; 0 takes any that is free.
    ///   - onServerRunning: Called with the bound channel once the server listens.
    ///   - logger: Told of what went wrong, and why.
    public func application(
        host: String,
        port: Int,
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void = { _ in },
        logger: Logger
    ) -> some ApplicationProtocol {
        // As the backend does: longer than a client keeps an idle connection, and not for ever.
        Application(
            router: router(host: host),
            server: .http1(configuration: .init(idleTimeout: .seconds(75))),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    private func router(host: String) -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            SecurityHeaders()
            ErrorPages()
            LoopbackHosts(boundTo: host)
            ReadOnly()
        }
        router.get("/") { try await feedPage($0, $1) }
        router.get("/feed") { try await nextPage($0, $1) }
        router.get("/images/:id") { try await imageData($0, $1) }
        router.get("/images/:id/comments") { try await commentsPage($0, $1) }
        for asset in Asset.all {
            router.get(RouterPath(asset.path)) { _, _ in asset.response }
        }
        return router
    }
}
