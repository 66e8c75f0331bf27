public import DuetHTTP
import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle

/// A server that hands each request on to a client, and the client's answers back, while they come.
///
/// It ends when its task is cancelled or a graceful shutdown is asked for, after it has answered what it was asked.
public struct ProxyServer: Service {
    private let server: any Service

    /// - Parameters:
    ///   - client: What the requests are sent with: an ``OriginClient``, as it is or decorated.
    ///   - port: The port to listen on; 0 takes any that is free.
    ///   - onServerRunning: Is told of the listening channel.
    public init(
        client: any HTTPClient,
        host: String = "127.0.0.1",
        port: Int,
        settings: ProxySettings = ProxySettings(),
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void,
        logger: Logger
    ) {
        server = ProxyChannel(client: client, settings: settings).server(
            configuration: ServerConfiguration(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(settings.connections)
            ),
            onServerRunning: onServerRunning,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
    }

    /// Listens and answers until the end.
    ///
    /// - Throws: What keeps it from listening.
    public func run() async throws {
        try await server.run()
    }
}
