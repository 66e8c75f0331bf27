import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// A TCP server on a free local port that responds by a script, right or wrong.
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

    /// Stops listening and closes open connections.
    func stop() async throws {
        try await listener.close()
        for channel in log.channels { channel.close(promise: nil) }
        await log.until { $0.open == 0 }
    }

    /// Sends more of a response over all open connections.
    func send(_ text: String) {
        for channel in log.channels { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
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
