#if NATS
    import Duet

    /// The state of a connection, which callbacks of the library change, and the observers of its changes.
    final class ConnectionEvents: Sendable {
        private struct State {
            /// Nil until the first event.
            var isConnected: Bool?
            var isClosed = false
            var maxPayload: Int?
            var observers: [Observer] = []
            var last = 0
            /// Whether the observers have received the end.
            var hasEnded = false
        }

        private struct Observer {
            let number: Int
            let receive: EventObserver
        }

        private let state = Monitor(State())
        private let first: EventObserver

        /// - Parameter first: Receives each event before all observers.
        init(_ first: @escaping EventObserver) { self.first = first }

        var isConnected: Bool { state.read { $0.isConnected == true } }

        var isClosed: Bool { state.read { $0.isClosed } }

        var maxPayload: Int? { state.read { $0.maxPayload } }

        /// Notes the largest number of bytes of a message, which may differ from server to server.
        func note(maxPayload: Int) { state.update { $0.maxPayload = maxPayload } }

        func observe(_ receive: @escaping EventObserver) -> ConnectionObservation {
            let number = state.update { state in
                state.last += 1
                state.observers.append(Observer(number: state.last, receive: receive))
                return state.last
            }
            return ConnectionObservation { [weak self] in
                self?.state.update { $0.observers.removeAll { $0.number == number } }
            }
        }

        func begin(_ event: NATSEvent) {
            let isFirst = state.update { state in
                guard state.isConnected == nil else { return false }
                state.isConnected = event == .connected
                return true
            }
            if isFirst { send(event) }
        }

        /// Notes an event, unless the connection has ended before.
        func receive(_ event: NATSEvent) {
            let isNew = state.update { state in
                if state.isClosed { return false }
                switch event {
                case .connected: state.isConnected = true
                case .disconnected: state.isConnected = false
                case .closed: (state.isConnected, state.isClosed) = (false, true)
                case .slow, .failure: break
                }
                return true
            }
            guard isNew else { return }
            send(event)
            state.update { $0.hasEnded = $0.isClosed }
        }

        func untilClosed() async { await state.waitEvenIfCanceled { $0.hasEnded } }

        private func send(_ event: NATSEvent) {
            first(event)
            for observer in state.read({ $0.observers }) { observer.receive(event) }
        }
    }

    /// An observer of a connection, which is removed when this is no longer referenced.
    final class ConnectionObservation: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }
#endif
