package import DuetDependencies
import DuetHummingbird
package import Hummingbird
package import Logging
package import NIOCore

extension Router<ScopedRequestContext> {
    /// Creates the server of this router, which handles each request in a scope of `container`.
    ///
    /// The container must have a `Logger`.
    ///
    /// - Parameter overriding: Returns the overrides of a request's scope.
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
