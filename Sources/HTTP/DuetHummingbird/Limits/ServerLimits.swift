public import DuetHTTP
import Foundation
import Logging

/// Limits on what clients may take from a server.
///
/// ```swift
/// Application(
///     router: router,
///     limits: ServerLimits(connections: 1_000, writeTimeout: .seconds(10)),
///     configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
/// )
/// ```
public struct ServerLimits: Sendable {
    package var connections: Int
    package var headerSize: Int
    package var headerCount: Int
    package var idleTimeout: Duration
    package var bodyTimeout: Duration
    package var bodyMemory: Int
    package var writeTimeout: Duration
    package var writeRate: Int
    package var drainTimeout: Duration
    package var drainSize: Int
    package var refusals: RefusalFormat?

    /// Creates limits for a server that is open to the public.
    ///
    /// Clients commonly keep an idle connection for 60 seconds. If the server keeps it longer, no request meets a
    /// connection that is just being closed.
    ///
    /// - Parameters:
    ///   - connections: The number of connections that may be open.
    ///
    ///     Further connections wait in the system's queue until one closes. The system delivers up to four at once, so
    ///     the limit may be exceeded by three. The limit is lower, and the server logs it, if the process may not have
    ///     twice as many files open.
    ///   - headerSize: The largest head of a request, in bytes of its fields; the response to a larger one is 431.
    ///   - headerCount: The largest number of fields of a request; the response to a request with more is 431.
    ///   - idleTimeout: How long a connection may be idle between requests, a head may take, and a body may pause.
    ///
    ///     Then the connection is closed, after a response with 408 if a body has paused. A client that is still
    ///     reading its response is not idle.
    ///   - bodyTimeout: How long the rest of a request may take once its head has arrived.
    ///
    ///     Then the response is 408 and the connection is closed.
    ///   - bodyMemory: The number of bytes that the bodies of all requests may use at the same time.
    ///
    ///     The response to a request whose body does not fit is 503 with `Retry-After`. Bodies count while they are
    ///     read, and while a mounted message or ``HummingbirdCore/Request/withBody(upTo:_:)`` uses them.
    ///   - writeTimeout: How long a client may read nothing of its response.
    ///
    ///     The connection is closed after this time, and after at most twice as long.
    ///   - writeRate: The number of bytes of its response that a client must read in a second, on average over
    ///     `writeTimeout`.
    ///
    ///     The connection of a slower client is closed like that of a client that reads nothing.
    ///   - drainTimeout: How long a client may keep the connection open after the last response.
    ///
    ///     A client may send its whole request before it reads the response. When the server closes a connection, it
    ///     therefore ends its responses, and discards what arrives until the client closes the connection too.
    ///   - drainSize: The number of bytes that a client may send after the last response until the connection is
    ///     closed.
    ///   - refusals: The format of the responses with 408; nil for RFC 9457.
    public init(
        connections: Int = 4_096,
        headerSize: Int = 16_384,
        headerCount: Int = 100,
        idleTimeout: Duration = .seconds(75),
        bodyTimeout: Duration = .seconds(60),
        bodyMemory: Int = 134_217_728,
        writeTimeout: Duration = .seconds(30),
        writeRate: Int = 1_024,
        drainTimeout: Duration = .seconds(5),
        drainSize: Int = 16_777_216,
        refusals: RefusalFormat? = nil
    ) {
        self.connections = connections
        self.headerSize = headerSize
        self.headerCount = headerCount
        self.idleTimeout = idleTimeout
        self.bodyTimeout = bodyTimeout
        self.bodyMemory = bodyMemory
        self.writeTimeout = writeTimeout
        self.writeRate = writeRate
        self.drainTimeout = drainTimeout
        self.drainSize = drainSize
        self.refusals = refusals
    }
}

// MARK: Open files

extension ServerLimits {
    /// The number of connections that this process can have with its limit on open files.
    var openConnections: Int {
        var limit = rlimit()
        guard unsafe getrlimit(Self.openFiles, &limit) == 0 else { return connections }
        return connections(fittingInto: Int(clamping: limit.rlim_cur))
    }

    /// Logs that there are fewer connections than the limit, if there are.
    func logOpenConnections(_ logger: Logger) {
        guard openConnections < connections else { return }
        logger.notice(
            "The limit on open files allows fewer connections than configured: raise it (ulimit -n)",
            metadata: ["connections": "\(openConnections)", "limit": "\(connections)"]
        )
    }

    /// The number of connections that are possible with a limit on open files.
    ///
    /// Each connection is a file and may need a second one to another server. Some are left for everything else:
    /// without any, the system would accept no connection and keep reporting that there is one.
    package func connections(fittingInto files: Int) -> Int {
        max(1, min(connections, (files - 64) / 2))
    }

    /// Raises this process's limit on open files as far as the system allows.
    package static func raiseOpenFiles() {
        var limit = rlimit()
        guard unsafe getrlimit(openFiles, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // If this fails, the limit stays as it is and there are fewer connections.
        _ = unsafe setrlimit(openFiles, &limit)
    }

    #if os(Linux)
        private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let openFiles = RLIMIT_NOFILE
    #endif
}
