#if NATS
    /// The settings of a cluster on NATS.
    ///
    /// All nodes of a cluster use the same settings: a node that starts applies its own to what the servers keep.
    public struct NATSOptions: Sendable {
        /// The credentials, unless the URLs contain them.
        public var credentials: NATSCredentials?

        /// The settings of TLS; nil for none, unless a URL starts with `tls`.
        public var tls: NATSTLS?

        /// The number of servers that keep each command and event: 1 for one server, 3 for three or more.
        public var replicas = 1

        /// The number of partitions of the command log, from 1 to 256: as many commands are handled concurrently.
        ///
        /// The number belongs to the log. To change it, let all commands be handled, then delete the stream of
        /// commands.
        public var partitions = 8

        /// The time within which a command or an event must be stored, including a lost connection and an election.
        ///
        /// An election among three servers takes four to ten seconds.
        public var timeout: Duration = .seconds(15)

        /// The time between two signals to the server, which find a connection that is dead; it is lost after two of
        /// them.
        public var pingInterval: Duration = .seconds(10)

        /// The largest number of bytes of the command log; nil for the limit of the server.
        ///
        /// A log that is full removes commands that were handled. If none was, it refuses further ones. A command that
        /// an empty log could not hold is ``/DuetCluster/TransportError/tooLarge(bytes:limit:)``.
        public var commandBytes: Int?

        /// The time for which the identifier of a command is recognized; each identifier costs memory on the servers.
        ///
        /// The log keeps a handled command about as long, and one that was not handled without limit.
        public var duplicateWindow: Duration = .seconds(600)

        /// How long a server may take to accept a connection, and to read.
        package var serverTimeout: Duration = .seconds(2)

        /// Measures the pauses of a follower, and the limit of ``NATSCluster/close(within:)``.
        package var clock: any Clock<Duration> = ContinuousClock()

        /// Receives changes of the connection, on a thread that must not be blocked.
        public var onEvent: @Sendable (NATSEvent) -> Void = { _ in }

        /// Creates settings for one server.
        public init() {}
    }

    /// The credentials of a node, which no description shows.
    public struct NATSCredentials: Sendable, CustomReflectable {
        enum Kind {
            case password(user: String, password: String)
            case token(String)
            case file(String)
        }

        let kind: Kind

        /// A user and a password.
        public static func password(_ password: String, user: String) -> NATSCredentials {
            NATSCredentials(kind: .password(user: user, password: password))
        }

        /// A token.
        public static func token(_ token: String) -> NATSCredentials {
            NATSCredentials(kind: .token(token))
        }

        /// A credentials file, which contains a token (JWT) and a key.
        public static func file(_ path: String) -> NATSCredentials {
            NATSCredentials(kind: .file(path))
        }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The settings of TLS.
    public struct NATSTLS: Hashable, Sendable {
        package var authorities: String?
        package var certificate: String?
        package var key: String?

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - authorities: A PEM file of the authorities whose certificates are trusted; nil for those of the system.
        ///   - certificate: A PEM file of the certificate chain of this node; nil for none.
        ///   - key: A PEM file of the private key of `certificate`.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }
#endif
