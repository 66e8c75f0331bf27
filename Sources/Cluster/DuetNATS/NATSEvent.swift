#if NATS
    import Duet

    /// A change of the connection to the servers, for logs and health checks.
    @nonexhaustive
    public enum NATSEvent: Hashable, Sendable, CustomStringConvertible {
        /// The connection is established, for the first time or again.
        case connected

        /// The connection was lost. It is tried again until the cluster is closed.
        case disconnected(reason: String)

        /// The connection ended and is not tried again.
        case closed(reason: String)

        /// Messages arrived faster than they were taken, and some were discarded.
        case slow(subject: String)

        /// The server reported an error, for example that a subject is not permitted.
        case failure(reason: String)

        /// The change as a sentence for a log, on one line and without characters that a terminal interprets.
        public var description: String {
            switch self {
            case .connected: "Connected to NATS."
            case .disconnected(let reason): "Disconnected from NATS: \(reason.safe()). Trying again."
            case .closed(let reason): "The connection to NATS ended: \(reason.safe())."
            case .slow(let subject): "Messages of \(subject.safe()) arrived too fast, and some were discarded."
            case .failure(let reason): "NATS reported: \(reason.safe())."
            }
        }
    }
#endif
