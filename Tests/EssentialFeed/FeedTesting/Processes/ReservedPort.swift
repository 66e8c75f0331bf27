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
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        var isReusable: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, size) == 0,
            unsafe bind(descriptor, &address, length) == 0,
            unsafe getsockname(descriptor, &address, &length) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let (high, low) = (address.sa_data.0, address.sa_data.1)
        let port = Int(UInt8(truncatingIfNeeded: high)) << 8 | Int(UInt8(truncatingIfNeeded: low))
        number = port
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw POSIXError(.EINVAL) }
        self.url = url
    }

    deinit {
        close(descriptor)
    }
}
