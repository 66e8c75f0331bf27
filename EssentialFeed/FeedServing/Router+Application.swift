package import DuetDependencies
package import Hummingbird
package import Logging
package import NIOCore

extension Router<ScopedRequestContext> {
    /// The server that answers what is routed here, each request in a scope of `container`, which must know a `Logger`.
    package func application(
        in container: Container,
        host: String,
        port: Int,
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void,
        logger: Logger?
    ) -> some ApplicationProtocol {
        // Clients commonly keep an idle connection for 60 seconds. Keeping it longer than they do means that no request
        // meets a connection that is just being closed.
        Application(
            responder: ScopedResponder(container: container, responder: buildResponder()),
            server: .http1(configuration: .init(idleTimeout: .seconds(75))),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: onServerRunning,
            logger: logger
        )
    }
}
