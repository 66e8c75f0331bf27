import DuetAsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// A TCP server on a free port of this machine that answers as a script says, right or wrong.
struct RawServer {
    let log: ServerLog
    let port: Int
    private let listener: any Channel

    /// Starts a server.
    static func start(_ script: @escaping @Sendable (ReceivedRequest) -> [Step]) async throws -> RawServer {
        let log = ServerLog()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    log.follow(channel)
                    try channel.pipeline.syncOperations.addHandler(ScriptHandler(log: log, script: script))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return RawServer(log: log, port: try #require(listener.localAddress?.port), listener: listener)
    }

    /// Stops listening and closes what is open.
    func stop() async throws {
        try await listener.close()
        for channel in log.channels { channel.close(promise: nil) }
        await log.until { $0.open == 0 }
    }

    /// A request to this server.
    func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
    }
}

/// Runs a test with a server and a client, both of which are gone afterwards.
func withServer(
    _ script: @escaping @Sendable (ReceivedRequest) -> [Step],
    configuration: NIOHTTPClient.Configuration = .init(),
    clock: any Clock<Duration> = ContinuousClock(),
    test: (RawServer, NIOHTTPClient) async throws -> Void
) async throws {
    let server = try await RawServer.start(script)
    try await withClient(configuration: configuration, clock: clock) { client in
        try await test(server, client)
    }
    try await server.stop()
}

/// Runs a test with a client that is shut down afterwards.
func withClient(
    configuration: NIOHTTPClient.Configuration = .init(),
    clock: any Clock<Duration> = ContinuousClock(),
    test: (NIOHTTPClient) async throws -> Void
) async throws {
    let client = NIOHTTPClient(configuration: configuration, clock: clock)
    do {
        try await test(client)
    } catch {
        try await client.shutdown()
        throw error
    }
    try await client.shutdown()
}
