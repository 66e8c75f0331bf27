#if NATS
    import Synchronization

    /// The state of a connection, which callbacks of the library change, and the observers of its changes.
    final class ConnectionEvents: Sendable {
        private struct State {
            /// Nil until the first event.
            var isConnected: Bool?
            var isClosed = false
            var observers: [@Sendable (NATSEvent) -> Void] = []
            var closing: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var isConnected: Bool { state.withLock { $0.isConnected == true } }

        func observe(_ observer: @escaping @Sendable (NATSEvent) -> Void) {
            state.withLock { $0.observers.append(observer) }
        }

        /// Notes the result of the first attempt, unless events of the library were faster.
        func begin(_ event: NATSEvent) {
            let isFirst = state.withLock { state in
                guard state.isConnected == nil else { return false }
                state.isConnected = event == .connected
                return true
            }
            if isFirst { send(event) }
        }

        func receive(_ event: NATSEvent) {
            let closing = state.withLock { state in
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
            send(event)
            for continuation in closing { continuation.resume() }
        }

        /// Returns when the connection has ended.
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
            for observer in state.withLock({ $0.observers }) { observer(event) }
        }
    }
#endif
