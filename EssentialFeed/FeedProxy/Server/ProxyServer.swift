public import DuetHTTP
public import DuetHummingbird
import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle

/// A server that hands each request on to a client, and the client's answers back, while they come.
///
/// Bytes of a field that are not UTF-8 arrive as U+FFFD, because NIO reads fields as UTF-8.
///
/// It ends when its task is cancelled or a graceful shutdown is asked for, after it has answered what it was asked.
public struct ProxyServer: Service {
    /// Limits for a proxy that faces the public: bodies are let take longer than a server's own would be.
    public static let limits = ServerLimits(headerSize: 65_536, headerCount: 256, bodyTimeout: .seconds(600))

    private let server: any Service

    /// - Parameters:
    ///   - client: What the requests are sent with: an ``OriginClient``, as it is or decorated.
    ///   - port: The port to listen on; 0 takes any that is free.
    ///   - limits: What clients may take of it.
    ///   - pseudonym: What it goes by in `Via`, a token. When it is this proxy's alone, a request that comes again is answered
    ///     with 508 at once.
    ///   - authority: The server that a request is for which names none, as HTTP/1.0 allows: the origin, mostly.
    ///   - onServerRunning: Is told of the listening channel.
    public init(
        client: any HTTPClient,
        host: String = "127.0.0.1",
        port: Int,
        limits: ServerLimits = Self.limits,
        pseudonym: String = "feed",
        authority: String? = nil,
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void,
        logger: Logger
    ) {
        server = ProxyChannel(
            client: client,
            limits: limits,
            identity: ProxyIdentity(pseudonym: pseudonym, authority: authority)
        ).server(
            configuration: ServerConfiguration(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.openConnections)
            ),
            onServerRunning: onServerRunning,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        limits.logOpenConnections(logger)
    }

    /// Listens and answers until the end.
    ///
    /// - Throws: What keeps it from listening.
    public func run() async throws {
        try await server.run()
    }
}
