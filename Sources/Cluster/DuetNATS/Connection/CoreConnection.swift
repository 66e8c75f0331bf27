#if NATS
    import DuetCluster
    import Foundation

    typealias EventObserver = @Sendable (NATSEvent) -> Void

    typealias CoreMessageHandler = @Sendable (CoreMessage) -> Void

    /// A connection of core NATS, on which everything else of this module is built.
    ///
    /// A client library takes part in these members only, so that another one can take the place of libnats.
    protocol CoreConnection: Sendable {
        var isConnected: Bool { get }

        /// The largest number of bytes of headers and payload together; nil before the first connection.
        var maxPayload: Int? { get }

        /// Sends a message after all that was sent before, without waiting for the server or the network.
        ///
        /// - Parameter onFailure: Called once if the message could not be sent after all.
        /// - Throws: ``TransportError``, also if too many messages wait because the server does not read them.
        func publish(_ message: CoreMessage, onFailure: @escaping @Sendable (TransportError) -> Void) throws

        /// Calls a handler with each message of a subject, one at a time and in order, on a thread that must not be
        /// blocked.
        ///
        /// The subscription is sent after all that was sent before, without waiting for the network.
        ///
        /// - Parameter queue: The queue group whose members share the messages; nil to receive all of them.
        /// - Throws: ``TransportError`` if the connection has ended.
        func subscribe(
            _ subject: String,
            queue: String?,
            _ handler: @escaping CoreMessageHandler
        ) throws -> any CoreSubscription

        /// Calls an observer with each later event, in order, until the observation is no longer referenced.
        func observe(_ observer: @escaping EventObserver) -> ConnectionObservation

        /// Ends the connection.
        ///
        /// - Parameter isDraining: Whether messages that were received are handled before, and those published are
        ///   sent.
        func close(isDraining: Bool) async
    }

    extension CoreConnection {
        func publish(_ message: CoreMessage) throws { try publish(message) { _ in } }
    }

    /// The messages of a subject, until it is canceled or no longer referenced.
    protocol CoreSubscription: Sendable {
        /// Receives no further message. Messages that the client holds are discarded.
        func cancel()

        /// Receives no further message, and returns when those that the client holds have been handled.
        func drain() async
    }

    package struct CoreMessage: Sendable {
        var subject: String
        var reply: String?
        var headers: [String: String] = [:]
        var payload = Data()

        /// The number of bytes that count against the limit of the server.
        var size: Int {
            guard !headers.isEmpty else { return payload.count }
            // NATS/1.0 and the line breaks, then "name: value" and a line break each.
            return headers.reduce(payload.count + 12) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 }
        }

        /// The status that the server sends in place of a message, for example 503 if nothing listens; nil for a
        /// message.
        ///
        /// A stored message has none, whatever its headers, which its sender chooses.
        var status: Int? {
            DeliveredPosition.isOne(reply) ? nil : headers["Status"].flatMap { Int($0) }
        }
    }
#endif
