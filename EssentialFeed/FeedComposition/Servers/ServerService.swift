import DuetHummingbird
import Foundation
import NIOCore
import ServiceLifecycle

/// A server as a service, which reports its address and finishes the requests in flight before it ends.
struct ServerService: Service {
    let host: String
    let port: Int
    let onListening: @Sendable (_ address: URL) async -> Void
    let server:
        @Sendable (_ onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void) throws -> any Service

    func run() async throws {
        // Each connection is an open file.
        ServerLimits.raiseOpenFiles()
        let server = try server { channel in
            if let address = address(port: channel.localAddress?.port ?? port) { await onListening(address) }
        }
        do {
            try await server.run()
        } catch {
            throw ServerError(error, host: host, port: port) ?? error
        }
    }

    /// Returns the URL of the server for clients on this machine.
    private func address(port: Int) -> URL? {
        let reachable = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        return URL(string: "http://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)/")
    }
}
