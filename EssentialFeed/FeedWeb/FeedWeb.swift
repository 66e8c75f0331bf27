public import DuetDependencies
import DuetHummingbird
import FeedServing
import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The feed as pages for a browser, which speaks to this server only.
///
/// Every answer comes from a dispatcher, so the pages neither know nor care whether an image came over the network or
/// from a cache. They can be read without script; `page.js` adds loading by scrolling, refreshing in place and
/// retrying.
public struct FeedWeb: Sendable {
    private let container: Container

    /// The pages that `container` makes, of which ``WebModule`` is a part.
    public init(container: Container) {
        self.container = container
    }

    /// The server, to be run by a service group.
    ///
    /// Each request is answered in a scope of its own. Bound to a loopback address the server answers only requests
    /// that name one as their host, so that a page elsewhere cannot reach it by having a name of its own point here.
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
        router(host: host).application(
            in: container,
            host: host,
            port: port,
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    private func router(host: String) -> Router<ScopedRequestContext> {
        let router = Router(context: ScopedRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            SecurityHeaders()
            ErrorPages()
            HostMiddleware(.listening(on: host))
            ReadOnly()
        }
        router.get("/") { try await $1.pages.feedPage($0) }
        router.get("/feed") { try await $1.pages.nextPage($0) }
        router.get("/images/:id") { try await $1.pages.imageData($0, $1) }
        router.get("/images/:id/comments") { try await $1.pages.commentsPage($0, $1) }
        for asset in Asset.all {
            router.get(RouterPath(asset.path)) { _, _ in asset.response }
        }
        return router
    }
}

extension ScopedRequestContext {
    /// The pages as this request gets them.
    fileprivate var pages: FeedPages {
        get async throws { try await scope.resolve() }
    }
}
