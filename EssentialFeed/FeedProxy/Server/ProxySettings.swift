/// What a proxy takes from its clients.
public struct ProxySettings: Sendable {
    /// How many connections may be open; further ones wait in the system's queue until one ends.
    public var connections: Int

    /// The largest head of a request, in bytes of its fields; a larger one is answered with 400.
    public var headerSize: Int

    /// How many fields a request may have; one with more is answered with 400.
    public var headerCount: Int

    /// How long a connection may stand still until it is closed; longer than the proxy waits for its origin.
    public var idleTimeout: Duration

    /// Settings for a proxy that faces the public.
    public init(
        connections: Int = 4_096,
        headerSize: Int = 65_536,
        headerCount: Int = 256,
        idleTimeout: Duration = .seconds(75)
    ) {
        self.connections = connections
        self.headerSize = headerSize
        self.headerCount = headerCount
        self.idleTimeout = idleTimeout
    }
}
