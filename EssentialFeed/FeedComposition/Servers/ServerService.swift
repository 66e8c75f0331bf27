import DuetHummingbird
import FeedFeature
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

/// The reason why a server could not be started.
@nonexhaustive
public enum ServerError: Error, CustomStringConvertible {
    /// Another program is listening on this port.
    case portTaken(host: String, port: Int)

    /// The system does not allow the program to listen there.
    case cannotListen(host: String, port: Int, reason: String)

    /// The failure and its remedy.
    public var description: String {
        switch self {
        case .portTaken(let host, let port):
            "Port \(port) on \(host) is in use by another program. Stop that program, or choose another port."
        case .cannotListen(let host, let port, let reason):
            "Cannot listen on \(host), port \(port): \(reason). Choose another host or port."
        }
    }
}

extension ServerError {
    /// Creates an error from the one that binding threw, or nil if its cause is something else.
    init?(_ error: any Error, host: String, port: Int) {
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            self = .portTaken(host: host, port: port)
        } else if let error = error as? IOError, let code = POSIXErrorCode(rawValue: error.errnoCode) {
            self = .cannotListen(host: host, port: port, reason: POSIXError(code).plainReason)
        } else if error is SocketAddressError || error is SocketAddressError.UnknownHost {
            self = .cannotListen(host: host, port: port, reason: "no such address")
        } else {
            return nil
        }
    }
}
