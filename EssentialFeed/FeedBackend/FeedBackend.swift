public import DuetDependencies
import FeedServing
public import Foundation
public import Hummingbird
public import Logging
public import NIOCore

/// The server side of the feed: the HTTP API in front of its messages' handlers.
///
/// The API speaks to the dispatcher only, so that the same messages can be sent from within the process.
public struct FeedBackend: Sendable {
    private let container: Container

    /// A backend whose messages are handled by what `container` makes.
    ///
    /// - Parameter container: Makes `any CommandQueryDispatcher`, which takes the queries `LoadPublishedImages`,
    ///   `LoadPublishedImageData`, `IsImagePublished` and `LoadImageComments`, and the commands `PublishImage`, `RemoveImage`
    ///   and `PostImageComment`; and a `Logger`, in whose place each request has its own.
    public init(container: Container) {
        self.container = container
    }

    /// The HTTP API as an application, to be run by itself or in a service group.
    ///
    /// Each request is answered in a scope of its own.
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
        let router = Router(context: ScopedRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: HostMiddleware(listeningOn: host, publicURL: publicURL))
        FeedRoutes(links: ImageLinks(publicURL: publicURL)).add(to: router)
        CommentRoutes().add(to: router)
        ImageRoutes().add(to: router)
        return router.application(
            in: container,
            host: host,
            port: port,
            onServerRunning: onServerRunning,
            logger: logger
        )
    }
}
