import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// A proxy in front of a local server that fails some of its requests.
struct FaultyProxy {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private let fates: Fates
    private let server: String
    private let client: NIOHTTPClient

    /// Runs `body` with a proxy on a free port, which is shut down afterwards.
    static func run<Value: Sendable>(
        before server: Int,
        _ fates: Fates,
        body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let client = NIOHTTPClient(clock: ManualClock())
        let proxy = FaultyProxy(fates: fates, server: "127.0.0.1:\(server)", client: client)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        let port = try #require(listener.channel.localAddress?.port)
        async let accepting: Void = proxy.accept(listener)
        let result: Result<Value, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        // Not canceled: that would drop accepted connections that are not served yet.
        try? await listener.channel.close()
        let end: Result<Void, any Error>
        do { end = .success(try await accepting) } catch { end = .failure(error) }
        try await client.shutdown()
        let value = try result.get()
        try end.get()
        return value
    }

    /// Serves connections until the listener is closed.
    private func accept(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    // Clients must handle connections that break here.
                    group.addTask { try? await serve(connection) }
                }
            }
            group.cancelAll()
        }
    }

    /// Responds to the requests of a connection until one is to fail.
    private func serve(_ connection: Connection) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var fate = fates.next()
            guard fate != .refuses else { return }
            var head: HTTPRequestHead?
            var body = Data()
            for try await part in inbound {
                switch part {
                case .head(let received): head = received
                case .body(let buffer): body.append(contentsOf: buffer.readableBytesView)
                case .end:
                    guard let received = head, try await answer(received, body, fate, outbound), received.isKeepAlive
                    else { return }
                    (head, body, fate) = (nil, Data(), fates.next())
                    guard fate != .refuses else { return }
                }
            }
        }
    }

    /// Applies a fate to a request, and returns whether the connection stays open.
    private func answer(
        _ received: HTTPRequestHead,
        _ body: Data,
        _ fate: Fate,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws -> Bool {
        if fate == .closesBefore { return false }
        let (response, data) =
            fate == .declines ? (HTTPResponse(status: .serviceUnavailable), Data()) : try await pass(received, body)
        // Without content nothing can be cut off, so no part of the response is sent.
        if fate == .closesAfter || fate == .cuts && data.isEmpty { return false }
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status.code))
        for field in response.headerFields where field.name != .contentLength {
            head.headers.add(name: field.name.rawName, value: field.value)
        }
        if response.status != .noContent { head.headers.add(name: "Content-Length", value: "\(data.count)") }
        try await outbound.write(.head(head))
        try await outbound.write(
            .body(.byteBuffer(ByteBuffer(bytes: fate == .cuts ? data.prefix(data.count / 2) : data)))
        )
        if fate == .cuts { return false }
        try await outbound.write(.end(nil))
        return true
    }

    private func pass(_ received: HTTPRequestHead, _ body: Data) async throws -> (HTTPResponse, Data) {
        var request = HTTPRequest(
            method: HTTPRequest.Method(received.method.rawValue) ?? .get,
            scheme: "http",
            authority: server,
            path: received.uri
        )
        for (name, value) in received.headers where !Self.own.contains(name.lowercased()) {
            guard let name = HTTPField.Name(name) else { continue }
            request.headerFields.append(HTTPField(name: name, value: value))
        }
        return try await client.data(for: request, body: body.isEmpty ? nil : body)
    }

    /// The fields that apply to one connection.
    private static let own: Set<String> = ["connection", "content-length", "host", "transfer-encoding"]
}
