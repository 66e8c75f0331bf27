public import Foundation

/// How long a proxy waits for its origin, and how much it takes from it.
public struct OriginSettings: Sendable {
    /// How long connecting may take.
    public var connectTimeout: Duration

    /// How long an exchange may stand still: no byte of a request goes although there are some, and none of an answer comes although
    /// its reader wants more.
    public var timeout: Duration

    /// How long a connection is kept for the next request.
    ///
    /// It is shorter than servers keep connections, as a request with a body that meets a connection that is just being closed
    /// is lost: none of those is ever sent twice.
    public var keepAlive: Duration

    /// How many connections are kept for further requests.
    public var idleConnections: Int

    /// The largest head of an answer, in bytes of its fields.
    public var headerSize: Int

    /// How many fields an answer may have.
    public var headerCount: Int

    /// A file with certificates in PEM: an origin is trusted whose own one of these authorities signed, or one that the system
    /// trusts.
    public var authorities: URL?

    /// Settings for an origin that is near.
    public init(
        connectTimeout: Duration = .seconds(10),
        timeout: Duration = .seconds(60),
        keepAlive: Duration = .seconds(1),
        idleConnections: Int = 128,
        headerSize: Int = 65_536,
        headerCount: Int = 256,
        authorities: URL? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.keepAlive = keepAlive
        self.idleConnections = idleConnections
        self.headerSize = headerSize
        self.headerCount = headerCount
        self.authorities = authorities
    }
}
