public import DuetDependencies
import DuetHummingbird
import FeedServing
import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The feed as pages for a browser, which connects to this server only.
///
/// All content comes from a dispatcher, so the pages do not depend on the network or a cache. They work without script;
/// `page.js` adds loading by scrolling, refreshing in place and retrying.
public struct FeedWeb: Sendable {
    private let container: Container

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
    ///   - onServerRunning: Called with the bound channel once the server listens.
    ///   - logger: Logs failures.
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
    /// The pages for this request.
    fileprivate var pages: FeedPages {
        get async throws { try await scope.resolve() }
    }
}

/// The registrations of the pages for a browser.
///
/// These must be registered elsewhere: `any QueryDispatcher` for `LoadFeed`, `LoadFeedCacheSummary`, `LoadImageData`
/// and `LoadImageComments`; `CurrentDate`; `Calendar`; and `Logger`.
public struct WebModule: ContainerModule {
    private let imageLimit: Int

    /// Creates the module; the pages remember at most `imageLimit` images, and forget the oldest first.
    public init(imageLimit: Int = 20_000) {
        self.imageLimit = imageLimit
    }

    /// Registers the pages and their common index of images.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [imageLimit] in ImageIndex(limit: imageLimit) }
        builder.transient(FeedPages.self)
    }
}

/// A file for the pages, which is embedded in the program.
struct Asset: Sendable {
    let path: String
    let mediaType: String
    let body: ByteBuffer

    static let all = [
        Asset(path: "/style.css", mediaType: "text/css; charset=utf-8", PackageResources.style_css),
        Asset(path: "/page.js", mediaType: "text/javascript; charset=utf-8", PackageResources.page_js),
        Asset(path: "/icon.svg", mediaType: "image/svg+xml", PackageResources.icon_svg),
    ]

    private init(path: String, mediaType: String, _ bytes: [UInt8]) {
        self.path = path
        self.mediaType = mediaType
        body = ByteBuffer(bytes: bytes)
    }

    var response: Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
