public import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore

extension Application {
    /// Creates an HTTP/1.1 server that limits its clients.
    ///
    /// The server cancels the handler of a mounted message when its client disconnects.
    ///
    /// - Parameters:
    ///   - router: Responds to the requests.
    ///   - limits: What clients may take from the server.
    ///   - configuration: The address and Hummingbird's other settings, except for the number of connections.
    ///   - onServerRunning: Called when the server accepts requests.
    ///   - logger: Logs failures, and whether there can be fewer connections than `limits` allows.
    public init<Builder: HTTPResponderBuilder>(
        router: Builder,
        limits: ServerLimits,
        configuration: ApplicationConfiguration = ApplicationConfiguration(),
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
        logger: Logger? = nil
    ) where Responder == Builder.Responder {
        self.init(
            responder: router.buildResponder(),
            limits: limits,
            configuration: configuration,
            onServerRunning: onServerRunning,
            logger: logger,
            wrapping: { $0 }
        )
    }

    /// Creates an HTTP/1.1 server that limits its clients, within TLS or another wrapper.
    ///
    /// `wrap` wraps the server: `{ try .tls($0, tlsConfiguration: configuration) }`. The other parameters are those of
    /// the initializer with a router.
    ///
    /// - Throws: The error that `wrap` throws.
    public init(
        responder: Responder,
        limits: ServerLimits,
        configuration: ApplicationConfiguration = ApplicationConfiguration(),
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
        logger: Logger? = nil,
        wrapping wrap: (HTTPServerBuilder) throws -> HTTPServerBuilder
    ) rethrows {
        var configuration = configuration
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(limits.openConnections)
        self.init(
            responder: responder,
            server: try wrap(HTTPServerBuilder { responder in LimitedChannel(limits, responder) }),
            configuration: configuration,
            onServerRunning: onServerRunning,
            logger: logger
        )
        limits.logOpenConnections(self.logger)
    }
}
