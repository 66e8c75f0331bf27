public import Hummingbird
public import HummingbirdCore
import Logging

/// What a server lets its clients take of it.
public struct ServerLimits: Sendable {
    /// How many connections may be open; further ones wait in the system's queue until one ends.
    ///
    /// The system hands over up to four at once, so that it may be exceeded by three.
    public var connections: Int

    /// The largest head of a request, in bytes of its fields; a larger one is answered with 400.
    public var headerSize: Int

    /// How many fields a request may have; one with more is answered with 400.
    public var headerCount: Int

    /// How long a connection may lie idle between requests, a head may take, and a body may pause, until the
    /// connection is closed.
    public var idleTimeout: Duration

    /// How long a client may take to send the rest of a request whose head has arrived, until the connection is closed.
    public var bodyTimeout: Duration

    /// Limits for a server that faces the public.
    ///
    /// Clients commonly keep an idle connection for 60 seconds. Keeping it longer than they do means that no request
    /// meets a
    /// connection that is just being closed.
    public init(
        connections: Int = 4_096,
        headerSize: Int = 16_384,
        headerCount: Int = 100,
        idleTimeout: Duration = .seconds(75),
        bodyTimeout: Duration = .seconds(60)
    ) {
        self.connections = connections
        self.headerSize = headerSize
        self.headerCount = headerCount
        self.idleTimeout = idleTimeout
        self.bodyTimeout = bodyTimeout
    }
}

extension HTTPServerBuilder {
    /// An HTTP/1.1 server that keeps its clients to limits, and cancels the handler of a mounted message when its
    /// client has gone.
    public static func http1(limits: ServerLimits) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in LimitedChannel(limits, responder) }
    }
}

extension ApplicationConfiguration {
    /// The configuration with no more connections than the limits say.
    public func limited(by limits: ServerLimits) -> ApplicationConfiguration {
        var configuration = self
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(limits.connections)
        return configuration
    }
}
