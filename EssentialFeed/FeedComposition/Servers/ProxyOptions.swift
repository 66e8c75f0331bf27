public import Foundation

/// Where a proxy listens and what it stands before.
public struct ProxyOptions: Sendable {
    /// The server that answers what the proxy cannot.
    public let origin: URL

    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 takes any that is free.
    public let port: Int

    /// Makes options of their parts; listens on this machine only unless told otherwise.
    public init(origin: URL, host: String = "127.0.0.1", port: Int = 8888) {
        self.origin = origin
        self.host = host
        self.port = port
    }
}
