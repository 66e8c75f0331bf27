/// What a server lets its clients take of it.
public struct ServerLimits: Sendable {
    /// How many connections may be open; further ones wait in the system's queue until one ends.
    ///
    /// The system hands over up to four at once, so that it may be exceeded by three. There are fewer where the process may have
    /// fewer than twice as many files open, which the log tells when the server is made.
    public var connections: Int

    /// The largest head of a request, in bytes of its fields; a larger one is answered with 431.
    public var headerSize: Int

    /// How many fields a request may have; one with more is answered with 431.
    public var headerCount: Int

    /// How long a connection may lie idle between requests, a head may take, and a body may pause, until the
    /// connection is closed.
    ///
    /// A client that is still reading its answer is not idle. One whose body pauses is told 408.
    public var idleTimeout: Duration

    /// How long a client may take to send the rest of a request whose head has arrived, until it is told 408 and the
    /// connection is closed.
    public var bodyTimeout: Duration

    /// How long a client may read nothing of its answer until the connection is closed; at the latest it is after twice
    /// as long.
    public var writeTimeout: Duration

    /// Limits for a server that faces the public.
    ///
    /// Clients commonly keep an idle connection for 60 seconds. Keeping it longer than they do means that no request meets a
    /// connection that is just being closed.
    public init(
        connections: Int = 4_096,
        headerSize: Int = 16_384,
        headerCount: Int = 100,
        idleTimeout: Duration = .seconds(75),
        bodyTimeout: Duration = .seconds(60),
        writeTimeout: Duration = .seconds(30)
    ) {
        self.connections = connections
        self.headerSize = headerSize
        self.headerCount = headerCount
        self.idleTimeout = idleTimeout
        self.bodyTimeout = bodyTimeout
        self.writeTimeout = writeTimeout
    }
}
