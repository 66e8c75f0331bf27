public import Foundation

/// The address, the origin and the cache of a proxy.
public struct ProxyOptions: Sendable {
    /// The server behind the proxy.
    public let origin: ProxyOrigin

    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 stands for any free port.
    public let port: Int

    /// Whether the cache is shared by several users.
    ///
    /// Otherwise all requests without credentials count as those of one user, who also receives responses that are
    /// `private` (RFC 9111, section 1).
    public let isShared: Bool

    /// The database file of the cache; nil for a cache in memory.
    public let store: URL?

    /// The largest size of the cache, in bytes.
    public let capacity: Int64

    /// A file with certificates of authorities that the proxy trusts in addition to those of the system.
    public let authorities: URL?

    /// Creates options; the proxy listens on this machine only by default.
    public init(
        origin: ProxyOrigin,
        host: String = "127.0.0.1",
        port: Int = 8888,
        isShared: Bool = false,
        store: URL? = nil,
        capacity: Int64 = 256 * 1024 * 1024,
        authorities: URL? = nil
    ) {
        self.origin = origin
        self.host = host
        self.port = port
        self.isShared = isShared
        self.store = store
        self.capacity = capacity
        self.authorities = authorities
    }
}
