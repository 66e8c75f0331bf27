#if NATS
    import Synchronization

    /// The state of a connection, which callbacks of the library change, and the observers of its changes.
    final class ConnectionEvents: Sendable {
        private struct State {
            /// Nil until the first event.
            var isConnected: Bool?
            var isClosed = false
            /// The largest number of bytes of a message; nil before the first connection.
            var maxPayload: Int?
            var observers: [Observer] = []
            var last = 0
            var closing: [CheckedContinuation<Void, Never>] = []
        }

        private struct Observer {
            let number: Int
            let receive: @Sendable (NATSEvent) -> Void
        }

        private let state = Mutex(State())
        private let first: @Sendable (NATSEvent) -> Void

        /// - Parameter first: Receives each event before all observers.
        init(_ first: @escaping @Sendable (NATSEvent) -> Void) { self.first = first }

        var isConnected: Bool { state.withLock { $0.isConnected == true } }

        var isClosed: Bool { state.withLock { $0.isClosed } }

        var maxPayload: Int? { state.withLock { $0.maxPayload } }

        /// Notes the largest number of bytes of a message, which may differ from server to server.
        func note(maxPayload: Int) { state.withLock { $0.maxPayload = maxPayload } }

        func observe(_ receive: @escaping @Sendable (NATSEvent) -> Void) -> ConnectionObservation {
            let number = state.withLock { state in
                state.last += 1
                state.observers.append(Observer(number: state.last, receive: receive))
                return state.last
            }
            return ConnectionObservation { [weak self] in
                self?.state.withLock { $0.observers.removeAll { $0.number == number } }
            }
        }

        func begin(_ event: NATSEvent) {
            let isFirst = state.withLock { state in
                guard state.isConnected == nil else { return false }
                state.isConnected = event == .connected
                return true
            }
            if isFirst { send(event) }
        }

        /// Notes an event, unless the connection has ended before.
        func receive(_ event: NATSEvent) {
            let closing = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                if state.isClosed { return nil }
                switch event {
                case .connected: state.isConnected = true
                case .disconnected: state.isConnected = false
                case .closed:
                    state.isConnected = false
                    state.isClosed = true
                    return state.closing
                case .slow, .failure: break
                }
                return []
            }
            guard let closing else { return }
            send(event)
            for continuation in closing { continuation.resume() }
        }

        func untilClosed() async {
            await withCheckedContinuation { continuation in
                let isClosed = state.withLock { state in
                    if !state.isClosed { state.closing.append(continuation) }
                    return state.isClosed
                }
                if isClosed { continuation.resume() }
            }
        }

        private func send(_ event: NATSEvent) {
            first(event)
            for observer in state.withLock({ $0.observers }) { observer.receive(event) }
        }
    }

    /// An observer of a connection, which is removed when this is no longer referenced.
    final class ConnectionObservation: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }
#endif
