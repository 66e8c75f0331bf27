import DuetHTTP
import DuetHummingbird
import FeedProxy
import Foundation
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

/// A proxy on a free port, and an origin behind it that does what the test says.
struct Stage {
    let port: Int
    let originPort: Int
    private let service: ServiceGroup
    private let origins: AsyncStream<Peer>

    /// Runs `body` with a proxy whose clients and origin are up to it.
    ///
    /// Connections are kept for longer than a slow machine takes from one request to the next.
    static func run(
        scheme: String = "http",
        settings: OriginSettings = OriginSettings(keepAlive: .seconds(60)),
        limits: ServerLimits = ProxyServer.limits,
        log: any LogHandler = SwiftLogNoOpLogHandler(),
        decorate: (any HTTPClient) -> any HTTPClient = { $0 },
        body: (Stage) async throws -> Void
    ) async throws {
        let (origins, origin) = AsyncStream.makeStream(of: Peer.self)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (arrivals, arrival) = AsyncStream.makeStream(of: ByteBuffer.self)
                    try channel.pipeline.syncOperations.addHandler(Peer.Reader(arrival))
                    origin.yield(Peer(channel: channel, arrivals: arrivals))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let originPort = try #require(listener.localAddress?.port)
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(originPort)"))
        let client = try OriginClient(Origin(url), settings: settings)
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let server = ProxyServer(
            client: decorate(client),
            port: 0,
            limits: limits,
            authority: "127.0.0.1:\(originPort)",
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { started.yield(port) }
            },
            logger: Logger(label: "proxy") { _ in log }
        )
        let service = ServiceGroup(services: [server], logger: Logger(label: "proxy") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { started.finish() }
                try await service.run()
            }
            defer { group.cancelAll() }
            let port = try #require(await ports.first { _ in true })
            try await body(Stage(port: port, originPort: originPort, service: service, origins: origins))
        }
        client.shutdown()
        try? await listener.close()
    }

    /// Asks the proxy to end once it has answered what it was asked, and waits until a connection that waits for nothing is closed.
    func shutDown() async throws {
        let idle = try await connect()
        await service.triggerGracefulShutdown()
        #expect(await idle.readToEnd() == "")
    }

    /// A client's connection to the proxy.
    func connect() async throws -> Peer {
        try await Peer.connect(port: port)
    }

    /// The origin's end of the next connection that the proxy opens.
    func accept() async throws -> Peer {
        try #require(await origins.first { _ in true })
    }
}
