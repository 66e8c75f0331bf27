public import Foundation

/// A port of this machine for one server, on which connections are refused while that server does not run.
///
/// A socket is bound to the port and never listens. Linux never assigns the port to a server that uses any free one.
/// A server that names the port can listen on it, because both sockets set `SO_REUSEADDR`.
public final class ReservedPort: Sendable {
    /// The port.
    public let number: Int

    /// The address of a server on this port.
    public let url: URL

    private let descriptor: Int32

    /// Reserves any free port.
    ///
    /// - Throws: The system's error.
    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // The data are the port, which is any free one, and the address 127.0.0.1.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_INET)
        address.sa_data.2 = 127
        address.sa_data.5 = 1
        var isReusable: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, size) == 0,
            unsafe bind(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size)) == 0,
            let port = Self.port(of: descriptor)
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        number = port
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw POSIXError(.EINVAL) }
        self.url = url
    }

    deinit {
        close(descriptor)
    }

    /// Stops the server on this port with `stop`, and ends its sockets wherever they are open.
    ///
    /// A process that is started just when a server opens a socket inherits it. For as long as that process runs, the
    /// server's port would accept connections, nobody would respond, and no server could listen on it.
    ///
    /// - Throws: The error of `stop`, or the system's error.
    public func end(_ stop: () async throws -> Void) async throws {
        let sockets = try sockets
        defer {
            for socket in sockets {
                _ = shutdown(socket, Int32(SHUT_RDWR))
                close(socket)
            }
        }
        try await stop()
    }

    /// Copies of the descriptors of all sockets on the port, except for the one that reserves it.
    private var sockets: [Int32] {
        get throws {
            let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
            return open.filter { $0 != descriptor }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }.filter { copy in
                if Self.port(of: copy) == number { return true }
                if copy >= 0 { close(copy) }
                return false
            }
        }
    }

    private static func port(of socket: Int32) -> Int? {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        guard unsafe getsockname(socket, &address, &length) == 0, address.sa_family == AF_INET else { return nil }
        let (high, low) = (address.sa_data.0, address.sa_data.1)
        return Int(UInt8(truncatingIfNeeded: high)) << 8 | Int(UInt8(truncatingIfNeeded: low))
    }
}
