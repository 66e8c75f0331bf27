#if NATS
    import DuetCluster
    import Synchronization

    /// A connection that is established again after the client library has ended it.
    ///
    /// libnats ends a connection when a server has refused its credentials twice, even if the server accepts them again
    /// a moment later.
    final class ReconnectingConnection: CoreConnection {
        /// Connects with the client library; the function that it receives observes the connection.
        typealias Connect = @Sendable (_ observer: @escaping EventObserver) async throws -> any CoreConnection

        private struct State {
            var connection: (any CoreConnection)?
            var subscriptions: [Reference] = []
            /// The number of the connection that is used; later ones are being established.
            var number = 0
            /// The largest number of a connection that has ended.
            var ended = 0
            var isClosing = false
        }

        private struct Reference {
            weak var subscription: LastingSubscription?
        }

        /// The time before a connection is tried again that a server has refused.
        private static let pause: Duration = .seconds(1)

        private let connect: Connect
        private let clock: any Clock<Duration>
        private let events: ConnectionEvents
        private let state = Mutex(State())

        /// Connects for the first time.
        ///
        /// - Parameter observer: Receives each event before all observers.
        /// - Throws: ``TransportError``.
        static func connect(
            observer: @escaping EventObserver,
            clock: any Clock<Duration>,
            _ connect: @escaping Connect
        ) async throws -> ReconnectingConnection {
            let connection = ReconnectingConnection(connect, clock, observer)
            try await connection.establish(1)
            return connection
        }

        private init(_ connect: @escaping Connect, _ clock: any Clock<Duration>, _ observer: @escaping EventObserver) {
            self.connect = connect
            self.clock = clock
            events = ConnectionEvents(observer)
        }

        private var connection: (any CoreConnection)? { state.withLock { $0.connection } }

        var isConnected: Bool { connection?.isConnected == true }

        var maxPayload: Int? { connection?.maxPayload }

        func observe(_ observer: @escaping EventObserver) -> ConnectionObservation {
            events.observe(observer)
        }

        func publish(_ message: CoreMessage, onFailure: @escaping @Sendable (TransportError) -> Void) throws {
            try connection?.publish(message, onFailure: onFailure)
        }

        func subscribe(
            _ subject: String,
            queue: String?,
            _ handler: @escaping CoreMessageHandler
        ) throws -> any CoreSubscription {
            let subscription = LastingSubscription { try $0.subscribe(subject, queue: queue, handler) }
            let (connection, number) = state.withLock { state in
                state.subscriptions.removeAll { $0.subscription == nil }
                state.subscriptions.append(Reference(subscription: subscription))
                return (state.connection, state.number)
            }
            if let connection { try subscription.begin(on: connection, number) }
            return subscription
        }

        func close(isDraining: Bool) async {
            let connection = state.withLock { state in
                state.isClosing = true
                return state.connection
            }
            await connection?.close(isDraining: isDraining)
            // The library may have ended it before.
            events.receive(.closed(reason: "it was closed"))
        }

        /// Establishes the connection of a number, and begins all subscriptions on it.
        ///
        /// - Throws: ``TransportError`` if a server refuses it.
        private func establish(_ number: Int) async throws {
            let new = try await connect { [weak self] event in self?.receive(event, from: number) }
            let (subscriptions, isClosing) = state.withLock { state in
                state.number = number
                state.connection = new
                return (state.subscriptions.compactMap(\.subscription), state.isClosing)
            }
            if isClosing { return await new.close(isDraining: false) }
            for subscription in subscriptions { try? subscription.begin(on: new, number) }
            if state.withLock({ $0.ended == number }) { return end(number, reason: "a server refused it") }
            events.receive(new.isConnected ? .connected : .disconnected(reason: "no server can be reached"))
        }

        private func receive(_ event: NATSEvent, from number: Int) {
            let (isUsed, isClosing) = state.withLock { state in
                if case .closed = event { state.ended = number }
                return (state.number == number, state.isClosing)
            }
            guard isUsed else { return }
            if case .closed(let reason) = event, !isClosing {
                end(number, reason: reason)
            } else {
                events.receive(event)
            }
        }

        /// Has another connection established in place of one that the library has ended.
        private func end(_ number: Int, reason: String) {
            events.receive(.disconnected(reason: reason))
            Task { [weak self, clock] in
                while true {
                    try? await clock.sleep(for: Self.pause)
                    guard let self, !state.withLock({ $0.isClosing }) else { return }
                    if (try? await establish(number + 1)) != nil { return }
                }
            }
        }
    }

    /// A subscription that goes on with the next connection.
    final class LastingSubscription: CoreSubscription {
        private let subscribe: @Sendable (any CoreConnection) throws -> any CoreSubscription
        private let state = Mutex((current: (any CoreSubscription)?.none, number: 0, isEnded: false))

        init(_ subscribe: @escaping @Sendable (any CoreConnection) throws -> any CoreSubscription) {
            self.subscribe = subscribe
        }

        /// - Throws: ``TransportError``.
        func begin(on connection: any CoreConnection, _ number: Int) throws {
            let new = try subscribe(connection)
            // One that is not kept ends, because nothing references it.
            let replaced = state.withLock { state -> (any CoreSubscription)? in
                guard !state.isEnded, number > state.number else { return new }
                defer { (state.current, state.number) = (new, number) }
                return state.current
            }
            withExtendedLifetime(replaced) {}
        }

        func cancel() { end()?.cancel() }

        func drain() async { await end()?.drain() }

        private func end() -> (any CoreSubscription)? {
            state.withLock { state in
                state.isEnded = true
                return state.current
            }
        }
    }
#endif
