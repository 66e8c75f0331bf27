import FeedFeature
import Foundation
import NIOCore

/// Why a server could not be started.
@nonexhaustive
public enum ServerError: Error {
    /// Another program listens on this port.
    case portTaken(host: String, port: Int)

    /// This machine does not let the program listen there.
    case cannotListen(host: String, port: Int, reason: String)
}

extension ServerError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .portTaken(let host, let port):
            "Port \(port) on \(host) is taken by another program. Stop that one, or choose another port."
        case .cannotListen(let host, let port, let reason):
            "Cannot listen on \(host), port \(port): \(reason). Choose another host or port."
        }
    }
}

extension ServerError {
    /// The clear form of an error that binding threw, or nil when it is something else.
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
