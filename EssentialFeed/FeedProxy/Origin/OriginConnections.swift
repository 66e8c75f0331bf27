import DuetHummingbird
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// The connections to an origin: those that wait for a request, the one used last first, and new ones.
final class OriginConnections: Sendable {
    private struct State {
        var idle: [OriginConnection] = []
        var isShutDown = false
    }

    private let origin: Origin
    private let settings: OriginSettings
    private let tls: NIOSSLContext?
    private let state = Mutex(State())

    init(origin: Origin, settings: OriginSettings) throws {
        self.origin = origin
        self.settings = settings
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let path = settings.authorities?.path(percentEncoded: false) {
            do {
                configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))]
            } catch {
                throw InvalidAuthorities(path: path, underlying: error)
            }
        }
        tls = try origin.isSecure ? NIOSSLContext(configuration: configuration) : nil
    }

    /// A connection that waits for a request; nil if there is none.
    func takeIdle() -> OriginConnection? {
        state.withLock { state in
            while let connection = state.idle.popLast() {
                if connection.channel.isActive { return connection }
            }
            return nil
        }
    }

    /// Closes what waits for a request, and what has been answered from now on.
    func shutdown() {
        let idle = state.withLock { state in
            state.isShutDown = true
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.channel.close(promise: nil) }
    }

    /// Connects anew.
    func open() async throws -> OriginConnection {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(settings.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        return try await bootstrap.connect(host: origin.host, port: origin.port) { [self] channel in
            channel.eventLoop.makeCompletedFuture {
                channel.limitUnsentBytes()
                let handler = ExchangeHandler(keepAlive: TimeAmount(settings.keepAlive))
                try addHandlers(to: channel, handler)
                let connection = OriginConnection(
                    channel: channel,
                    handler: NIOLoopBound(handler, eventLoop: channel.eventLoop)
                )
                handler.onIdle = { [weak self] in
                    if self?.keep(connection) != true { channel.close(promise: nil) }
                }
                return connection
            }
        }
    }

    private func keep(_ connection: OriginConnection) -> Bool {
        state.withLock { state in
            state.idle.removeAll { !$0.channel.isActive }
            guard !state.isShutDown, state.idle.count < settings.idleConnections else { return false }
            state.idle.append(connection)
            return true
        }
    }

    private func addHandlers(to channel: any Channel, _ last: ExchangeHandler) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            let isAddress = (try? SocketAddress(ipAddress: origin.host, port: 0)) != nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : origin.host))
        }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = settings.headerSize
        limits.maxHeaderListSize = settings.headerSize
        limits.maxHeaderFieldCount = settings.headerCount
        var framing = HTTPRequestEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        try pipeline.addHandlers([
            IdleStateHandler(allTimeout: TimeAmount(settings.timeout)),
            HTTPRequestEncoder(configuration: framing),
            SurplusHandler(before: last),
            ByteToMessageHandler(
                HTTPResponseDecoder(informationalResponseStrategy: .forward, limitConfiguration: limits)
            ),
            MessageHandler<HTTPResponseHead> { !(100..<200).contains($0.status.code) },
            last,
        ])
    }
}
