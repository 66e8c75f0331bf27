#if NATS
    import Duet
    public import DuetCluster
    public import DuetClusterEngine

    /// A cluster on NATS with JetStream.
    ///
    /// - Queries are requests, with a queue group for each route.
    /// - Commands are messages of a stream in files. Each partition has a durable consumer that all nodes share.
    /// - Events are messages of a stream in files, which each node follows by position.
    ///
    /// The streams are created when they are first used. Their names and all subjects begin with the name of the
    /// cluster, also those of responses. Several clusters can share servers, each with its own account, which keeps
    /// it apart from the others. The servers need JetStream (`nats-server -js -sd FOLDER`).
    ///
    /// A command was stored when ``/DuetClusterEngine/CommandLog/append(_:)`` returns: by one server, or by most of
    /// three if ``NATSOptions/replicas`` is 3. A server writes its files to the disk every two minutes unless its
    /// configuration has `jetstream { sync_interval: always }` (2.10 and later), so that a power failure of all servers
    /// can lose commands.
    public final class NATSCluster: ClusterEngine {
        private let inbox: RequestInbox
        private let registrations = Registrations()
        private let transport: NATSQueryTransport
        private let log: NATSCommandLog
        private let events: NATSBackplane
        private let clock: any Clock<Duration>

        /// Connects a node to the servers of a cluster.
        ///
        /// If no server can be reached, this returns and goes on trying. Meanwhile, operations wait for the connection
        /// until their timeouts, and then fail with ``/DuetCluster/TransportError/connectionLost(reason:)``. A
        /// connection that is lost later is established again, for as long as it takes.
        ///
        /// - Parameters:
        ///   - servers: URLs such as `nats://127.0.0.1:4222` or `tls://user:password@example.com`. Further servers of
        ///     the cluster are found through these.
        ///   - name: The name of the cluster, of 1 to 64 ASCII letters, digits, hyphens and underscores.
        ///   - options: Times, limits and credentials.
        /// - Throws: ``/DuetCluster/TransportError/refused(reason:)`` if a server refuses the credentials, or an
        ///   option is invalid.
        public static func connect(
            to servers: [String],
            name: String,
            options: NATSOptions = NATSOptions()
        ) async throws -> NATSCluster {
            guard SubjectToken.isName(name) else {
                throw TransportError.refused(
                    reason: "\"\(name)\" is not a name of a cluster. "
                        + "Use 1 to 64 ASCII letters, digits, hyphens and underscores"
                )
            }
            guard (1...256).contains(options.partitions) else {
                throw TransportError.refused(reason: "NATSOptions.partitions is not between 1 and 256")
            }
            let connection = try await ReconnectingConnection.connect(
                observer: options.onEvent,
                clock: options.clock
            ) { observer in
                try await LibNATSConnection.connect(to: servers, name: name, options: options, observer: observer)
            }
            return NATSCluster(connection, name: name, options: options)
        }

        init(_ connection: any CoreConnection, name: String, options: NATSOptions) {
            inbox = RequestInbox(connection, name: name)
            clock = options.clock
            let jetStream = JetStream(inbox: inbox, timeout: options.timeout, clock: options.clock)
            transport = NATSQueryTransport(inbox, name: name, registrations: registrations)
            log = NATSCommandLog(jetStream, name: name, options: options, registrations: registrations)
            events = NATSBackplane(jetStream, name: name, options: options)
        }

        /// Carries queries.
        ///
        /// A node handles as many requests of a route as its limit says. Up to 4096 more wait, with at most 64 MiB;
        /// further ones are refused.
        public var queries: any QueryTransport { transport }

        /// Keeps commands in the stream `NAME_COMMANDS`, and dead letters in `NAME_DEAD`.
        ///
        /// A command stays until it is handled, and then for about ``NATSOptions/duplicateWindow``. A log that is full
        /// removes handled commands at once. A server that starts again forgets the identifiers of removed commands, so
        /// that only an inbox recognizes their repeats.
        ///
        /// The stream `NAME_REFUSED` keeps the outcomes of refused commands and of dead letters, for repeats. The
        /// stream `NAME_SKIPPED` keeps the numbers of attempts that do not count.
        public var commands: any CommandLog { log }

        /// Carries events through the stream `NAME_EVENTS`.
        public var backplane: any Backplane { events }

        /// Whether the node is connected to a server now.
        public var isConnected: Bool { inbox.connection.isConnected }

        /// Takes no further work, and ends the connection when the work that was taken has ended.
        ///
        /// - Parameter limit: The time after which it returns in any case, and leaves alone what has not ended: a
        ///   handler, or a call of the client library.
        public func close(within limit: Duration = .seconds(10)) async {
            let connection = inbox.connection
            let end: Void? = await abandoning(after: limit, clock: clock) { [registrations, events] in
                await registrations.stop()
                await events.close()
                await connection.close(isDraining: true)
            }
            // Not awaited: the thread of the connection's calls may be blocked.
            if end == nil { Task { await connection.close(isDraining: false) } }
        }

        /// Ends the connection as the end of the process would, for tests of the other nodes.
        package func disconnect() async {
            await inbox.connection.close(isDraining: false)
        }
    }
#else
    /// Messages on NATS, which the trait `NATS` builds.
    @available(
        *,
        unavailable,
        message:
            "DuetNATS needs the trait NATS: .package(url: …, from: …, traits: [\"NATS\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
    public enum NATSCluster {}
#endif
