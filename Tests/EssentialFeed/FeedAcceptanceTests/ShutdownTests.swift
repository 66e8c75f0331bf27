import Duet
import DuetCluster
import DuetHummingbird
import DuetTesting
import FeedComposition
import FeedTesting
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

/// The shutdown of a server while a request is incomplete.
@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
    private let directory: TemporaryDirectory
    private let logger = Logger(label: "shutdown", factory: { _ in SwiftLogNoOpLogHandler() })

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `an incomplete request does not keep the server from ending`() async throws {
        let (addresses, announcement) = AsyncStream.makeStream(of: URL.self)
        let backend = Backend(
            servers: FeedServers(environment: Environment(logger: logger), shutdownLimit: .milliseconds(50)),
            database: directory.url.appending(path: "backend.sqlite"),
            onReady: { announcement.yield($0) }
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [backend], logger: logger))
        let running = Task { try await group.run() }
        let port = try #require(await addresses.first { _ in true }?.port)

        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { $0.pipeline.addHandler(Listener { answer.yield() }) }
            .connect(host: "127.0.0.1", port: port)
            .get()
        // After the first response, the server has also seen the head of the second request, which came with it.
        let requests = """
            GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\
            PUT /v1/image/8112E60D-949B-5F7E-BDED-DBE3CABE2D36 HTTP/1.1\r\nHost: 127.0.0.1\r\n\
            Content-Type: image/png\r\nContent-Length: 1000\r\n\r\nbegin
            """
        try await connection.writeAndFlush(ByteBuffer(string: requests)).get()
        try #require(await answers.first { _ in true } != nil)

        await group.triggerGracefulShutdown()
        try await running.value
        try await connection.closeFuture.get()
    }

    @Test(arguments: [false, true])
    func `a connection to a cluster that does not close does not keep a server from ending`(
        isCanceled: Bool
    ) async throws {
        let (addresses, announcement) = AsyncStream.makeStream(of: URL.self)
        let (clock, closing, end) = (ManualClock(), Gate(), Monitor(false))
        let cluster = FeedCluster(InProcessCluster()) {
            closing.open()
            // As a wait of a client library, which ignores its cancellation.
            await end.waitEvenIfCanceled { $0 }
        }
        let environment = Environment(clock: clock, logger: logger)
        let backend = Backend(
            servers: FeedServers(environment: environment, cluster: cluster),
            database: directory.url.appending(path: "backend.sqlite"),
            onReady: { announcement.yield($0) }
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [backend], logger: logger))
        let running = Task { try await group.run() }
        _ = try #require(await addresses.first { _ in true })
        if isCanceled { running.cancel() } else { await group.triggerGracefulShutdown() }
        try await closing.pass()
        while await clock.nextSleeper() != .seconds(10) {}
        clock.advance(by: .seconds(10))
        try? await running.value
        end.update { $0 = true }
    }

    @Test func `an idle connection does not keep a server from ending`()
        async throws
    {
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.get("/") { _, _ in "hello" }
        let server = Application(
            router: router,
            // So long that a server that waits for the client fails by the time limit of the suite.
            limits: ServerLimits(drainTimeout: .seconds(600)),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) },
            logger: logger
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
        let running = Task { try await group.run() }
        let port = try #require(await ports.first { _ in true })
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { $0.pipeline.addHandler(Listener { answer.yield() }) }
            .connect(host: "127.0.0.1", port: port)
            .get()
        try await connection.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")).get()
        try #require(await answers.first { _ in true } != nil)

        await group.triggerGracefulShutdown()
        try await running.value
        try await connection.close()
    }

    private struct Backend: Service {
        let servers: FeedServers
        let database: URL
        let onReady: @Sendable (URL) async -> Void

        func run() async throws {
            try await servers.runBackend(
                BackendOptions(port: 0, database: database, seed: .nothing),
                progress: { _, _ in },
                onReady: onReady
            )
        }
    }

    private final class Listener: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let onRead: @Sendable () -> Void

        init(onRead: @escaping @Sendable () -> Void) {
            self.onRead = onRead
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            onRead()
        }
    }
}
