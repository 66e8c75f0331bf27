package import DuetDependencies
import DuetHummingbird
package import Hummingbird
package import Logging
package import NIOCore

extension Router<ScopedRequestContext> {
    /// The server that answers what is routed here, each request in a scope of `container`, which must know a `Logger`.
    ///
    /// - Parameter overriding: What each request's scope has in place of the container's.
    package func application(
        in container: Container,
        host: String,
        port: Int,
        overriding: @escaping @Sendable (Request) -> [Override] = { _ in [] },
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void,
        logger: Logger?
    ) -> some ApplicationProtocol {
        Application(
            responder: ScopedResponder(container: container, overriding: overriding, responder: buildResponder()),
            limits: ServerLimits(),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: onServerRunning,
            logger: logger,
            wrapping: { $0 }
        )
    }
}
