import Duet
public import DuetDependencies
import DuetHTTP
import DuetHummingbird
import FeedAPI
import FeedFeature
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

    /// A backend whose messages are handled by what `container` makes, of which ``BackendModule`` is a part.
    ///
    /// - Parameter container: Makes `any CommandQueryDispatcher`, which takes the messages of `HTTPAPI.feed()`, `IsImagePublished`
    ///   and `LoadTokenHolder`; and a `Logger`, in whose place each request has its own.
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
    ///   - closedComments: Whether posting a comment takes a token, and is not open to everybody.
    ///   - onServerRunning: Called once requests are answered.
    ///   - logger: Is told why a request failed for an internal reason.
    /// - Throws: `InvalidHTTPAPI` or `InvalidMount`, which the tests rule out.
    public func application(
        host: String = "127.0.0.1",
        port: Int = 8_080,
        publicURL: URL? = nil,
        closedComments: Bool = false,
        onServerRunning: @escaping @Sendable @concurrent (_ channel: any Channel) async -> Void = { _ in },
        logger: Logger? = nil
    ) throws -> some ApplicationProtocol {
        // Asked before the command is handled: two at the same moment may both be told 201.
        let api = try HTTPAPI.feed(closedComments: closedComments) { image, dispatcher in
            try await dispatcher.dispatch(IsImagePublished(id: image.id)) ? .noContent : .created
        }
        // A proxy on this machine may pass on the name under which the world knows it.
        let publicName = publicURL?.host(percentEncoded: true)
        let router = Router(context: ScopedRequestContext.self)
        router.add(middleware: HostMiddleware(.listening(on: host, names: Set([publicName].compactMap(\.self)))))
        router.health(checks: [database])
        try router.mount(api, authenticator: tokens) { _, context in try await context.dispatcher }
        return router.application(
            in: container,
            host: host,
            port: port,
            overriding: { request in
                let base = publicURL?.absoluteString ?? "http://\(request.head.authority ?? "")"
                return [Override(ImageLinks.self) { ImageLinks(base: base) }]
            },
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    /// Looks tokens up in the database, so that a new one, or one that was revoked, needs no restart.
    private var tokens: BearerTokens {
        BearerTokens { [container] hash in
            let dispatcher: any CommandQueryDispatcher = try await container.resolve()
            return try await dispatcher.dispatch(LoadTokenHolder(hash: "\(hash)"))
        }
    }

    private var database: HealthCheck {
        HealthCheck("database") { [container] in
            let dispatcher: any CommandQueryDispatcher = try await container.resolve()
            _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
        }
    }
}
