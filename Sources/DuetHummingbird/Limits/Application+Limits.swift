public import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore

extension Application {
    /// An HTTP/1.1 server that answers what is routed, keeps its clients to limits, and cancels the handler of a mounted
    /// message when its client has gone.
    ///
    /// - Parameters:
    ///   - router: Answers the requests.
    ///   - limits: What clients may take of the server.
    ///   - configuration: The address, and what else Hummingbird asks for; the limits say how many connections there are.
    ///   - onServerRunning: Called once requests are answered.
    ///   - logger: Is told what goes wrong, and when there cannot be as many connections as the limits say.
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

    /// An HTTP/1.1 server that keeps its clients to limits, and cancels the handler of a mounted message when its client
    /// has gone, within TLS or whatever else a server can be wrapped in.
    ///
    /// - Parameters:
    ///   - responder: Answers the requests.
    ///   - limits: What clients may take of the server.
    ///   - configuration: The address, and what else Hummingbird asks for; the limits say how many connections there are.
    ///   - onServerRunning: Called once requests are answered.
    ///   - logger: Is told what goes wrong, and when there cannot be as many connections as the limits say.
    ///   - wrap: Adds to the server: `{ try .tls($0, tlsConfiguration: configuration) }`, or `{ $0 }` for nothing.
    /// - Throws: What `wrap` throws.
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
        limits.tellOpenConnections(self.logger)
    }
}
