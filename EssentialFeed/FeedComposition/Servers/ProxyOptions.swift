public import Foundation

/// Where a proxy listens and what it stands before.
public struct ProxyOptions: Sendable {
    /// The server that answers what the proxy cannot.
    public let origin: URL

    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 takes any that is free.
    public let port: Int

    /// Whether the proxy is for several people, as a shared cache is; otherwise whoever sends a request without credentials is
    /// taken for one and the same person, who is answered what was `private` too (RFC 9111, section 1).
    public let isShared: Bool

    /// The database file of the cache; nil for a cache in memory.
    public let store: URL?

    /// How many bytes the cache takes, at most.
    public let capacity: Int64

    /// A file with the certificates of authorities that may vouch for the origin, besides those that the system trusts.
    public let authorities: URL?

    /// Makes options of their parts; listens on this machine only unless told otherwise.
    public init(
        origin: URL,
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
