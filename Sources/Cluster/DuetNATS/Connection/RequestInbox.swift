#if NATS
    import DuetCluster
    import DuetClusterEngine
    import Foundation
    import Synchronization

    /// Requests on a connection, whose responses arrive under one subscription.
    final class RequestInbox: Sendable {
        let connection: any CoreConnection
        /// Begins the subjects of all responses of the cluster, so that each cluster has its own.
        let root: String
        private let prefix: String
        private let responses = Waiters<CoreMessage>()
        private let connecting = Waiters<Void>()
        private let subscription = Mutex<(any CoreSubscription)?>(nil)
        private let observation = Mutex<ConnectionObservation?>(nil)
        private let loss = Mutex((reason: "no server can be reached", isClosed: false))

        init(_ connection: any CoreConnection, name: String) {
            self.connection = connection
            root = "\(name).inbox."
            prefix = "\(root)\(RandomToken.make())."
            let observation = connection.observe { [weak self] event in self?.receive(event) }
            self.observation.withLock { $0 = observation }
        }

        var isClosed: Bool { loss.withLock { $0.isClosed } }

        /// A subject below which nothing else is sent.
        func makeInbox() -> String { root + RandomToken.make() }

        /// Whether a subject is that of a response to a node of the cluster, and not one of commands or of JetStream.
        func isInbox(_ subject: String) -> Bool { subject.isSubject(after: root, limit: 256) }

        /// Sends a request, and returns its response.
        ///
        /// A request waits for the connection within the limit. It fails at once if the connection is lost after that.
        ///
        /// - Parameter abandoned: Called with the subject of the response if the task is canceled or the time has
        ///   elapsed.
        /// - Throws: ``RequestFailure``, ``TransportError`` or `CancellationError`.
        func request(
            _ request: CoreMessage,
            within limit: Duration,
            abandoned: (String) -> Void = { _ in }
        ) async throws -> CoreMessage {
            let limit = try await untilConnected(within: limit)
            try subscribe()
            var inbox = ""
            do {
                let response = try await responses.value(within: limit) { number in
                    inbox = prefix + String(number)
                    var message = request
                    message.reply = inbox
                    try connection.publish(message) { [responses] error in
                        responses.resume(number, with: .failure(error))
                    }
                    // Lost after the check above, before the request was known to be waiting.
                    if !connection.isConnected { throw RequestFailure.lost(reason: loss.withLock { $0.reason }) }
                }
                if response.status == 503, response.payload.isEmpty { throw RequestFailure.noResponders }
                return response
            } catch is CancellationError {
                abandoned(inbox)
                throw CancellationError()
            } catch RequestFailure.timedOut {
                abandoned(inbox)
                throw RequestFailure.timedOut
            }
        }

        /// Waits for the connection, and returns the time that remains.
        func untilConnected(within limit: Duration) async throws -> Duration {
            guard !connection.isConnected else { return limit }
            let start = ContinuousClock.now
            do {
                try await connecting.value(within: limit) { number in
                    if connection.isConnected { connecting.resume(number, with: .success(())) }
                    if isClosed { throw RequestFailure.timedOut }
                }
            } catch RequestFailure.timedOut {
                throw RequestFailure.notConnected(reason: loss.withLock { $0.reason })
            }
            return limit - start.duration(to: .now)
        }

        /// Returns when the server has processed all that was sent before; a lost connection counts as that.
        func roundTrip() async {
            guard connection.isConnected, (try? subscribe()) != nil else { return }
            _ = try? await responses.value(within: .seconds(2)) { number in
                try connection.publish(CoreMessage(subject: prefix + String(number)))
            }
        }

        /// The largest number of bytes of headers: a server takes 64 KiB, with those of a dead letter.
        private static let headerLimit = 61_440

        /// Refuses an envelope that is too large for a message of the server.
        ///
        /// Some room remains for headers of the engine, so that a command can also become a dead letter.
        ///
        /// - Parameter message: The message that carries the envelope.
        func check(_ envelope: Envelope, in message: CoreMessage) throws {
            try envelope.checkHeaders()
            let headers = message.size - message.payload.count
            guard headers <= Self.headerLimit else {
                throw TransportError.tooLarge(bytes: headers, limit: Self.headerLimit)
            }
            guard let largest = connection.maxPayload else { return }
            let limit = largest - min(16_384, largest / 2)
            if envelope.size > limit { throw TransportError.tooLarge(bytes: envelope.size, limit: limit) }
            // Many headers, or long names.
            guard message.size > largest - 2048 else { return }
            throw TransportError.tooLarge(bytes: message.size, limit: largest - 2048)
        }

        private func subscribe() throws {
            try subscription.withLock { subscription in
                guard subscription == nil else { return }
                subscription = try connection.subscribe(prefix + "*", queue: nil) { [responses, prefix] message in
                    guard let number = message.subject.number(after: prefix) else { return }
                    responses.resume(number, with: .success(message))
                }
            }
        }

        private func receive(_ event: NATSEvent) {
            switch event {
            case .connected:
                connecting.resumeAll(with: .success(()))
            case .disconnected(let reason):
                loss.withLock { $0.reason = reason }
                responses.resumeAll(with: .failure(RequestFailure.lost(reason: reason)))
            case .closed(let reason):
                loss.withLock { $0 = (reason, true) }
                responses.resumeAll(with: .failure(RequestFailure.lost(reason: reason)))
                connecting.resumeAll(with: .failure(RequestFailure.notConnected(reason: reason)))
            case .slow, .failure: break
            }
        }
    }

    enum RandomToken {
        static func make() -> String {
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        }
    }
#endif
