public import Duet
import FeedFeature
public import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The server side of the feed: its messages' handlers on a database, and the HTTP API in front of them.
///
/// The API speaks to the dispatcher only, so that the same messages can be sent from within the process.
public struct FeedBackend: Sendable {
    /// Where the backend's messages are handled.
    ///
    /// Queries: `LoadPublishedImages`, `LoadPublishedImageData`, `IsImagePublished`, `LoadImageComments`. Commands:
    /// `PublishImage`, `RemoveImage`, `PostImageComment`.
    public let dispatcher: any CommandQueryDispatcher

    /// A backend that handles its messages on a database.
    ///
    /// - Parameters:
    ///   - database: Where images and comments are kept.
    ///   - now: Tells when a comment is posted.
    /// - Throws: `DispatchError.duplicateHandler`, which the list of handlers below rules out.
    public init(database: FeedDatabase, now: @escaping @Sendable () -> Date) throws {
        let handlers = try StandardDispatcher {
            LoadPublishedImagesHandler(database: database)
            LoadPublishedImageDataHandler(database: database)
            IsImagePublishedHandler(database: database)
            LoadImageCommentsHandler(database: database)
            PublishImageHandler(database: database)
            RemoveImageHandler(database: database)
            PostImageCommentHandler(database: database, now: now)
        }
        self.init(dispatcher: handlers.with(.validation))
    }

    /// A backend whose messages are handled wherever `dispatcher` takes them.
    public init(dispatcher: any CommandQueryDispatcher) {
        self.dispatcher = dispatcher
    }

    /// The HTTP API as an application, to be run by itself or in a service group.
    ///
    /// - Parameters:
    ///   - host: The address to listen on. On a loopback address requests for other host names are refused, so that a
    ///     web page whose name was pointed there (DNS rebinding) cannot speak to it.
    ///   - port: The port to listen on; 0 takes a free one, which `onServerRunning` learns from its channel.
    ///   - publicURL: What the images' URLs begin with; by default `http://` and the host that the request names.
    ///   - onServerRunning: Called once requests are answered.
    ///   - logger: Is told why a request failed for an internal reason.
    public func application(
        host: String = "127.0.0.1",
        port: Int = 8_080,
        publicURL: URL? = nil,
        onServerRunning: @escaping @Sendable @concurrent (_ channel: any Channel) async -> Void = { _ in },
        logger: Logger? = nil
    ) -> some ApplicationProtocol {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: HostMiddleware(listeningOn: host, publicURL: publicURL))
        FeedRoutes(dispatcher: dispatcher, links: ImageLinks(publicURL: publicURL)).add(to: router)
        CommentRoutes(dispatcher: dispatcher).add(to: router)
        ImageRoutes(dispatcher: dispatcher).add(to: router)
        // Clients commonly keep an idle connection for 60 seconds. Keeping it longer than they do means that no request
        // meets a connection that is just being closed.
        return Application(
            router: router,
            server: .http1(configuration: .init(idleTimeout: .seconds(75))),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: onServerRunning,
            logger: logger
        )
    }
}
