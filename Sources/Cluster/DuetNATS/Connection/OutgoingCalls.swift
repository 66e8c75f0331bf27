#if NATS
    import Dispatch
    import DuetCluster
    import Synchronization

    /// The calls of a connection to its library, in order on one thread that is not one of Swift's tasks.
    ///
    /// The library writes to the socket within a call, and holds a lock meanwhile. If the server does not read, a call
    /// blocks until the write deadline has passed, and so does each other call.
    final class OutgoingCalls: Sendable {
        private struct Call {
            let bytes: Int
            let run: @Sendable () -> Void
        }

        private struct State {
            var waiting = FIFOQueue<Call>()
            var bytes = 0
            var isRunning = false
        }

        /// The number of bytes of messages that may wait.
        static let limit = 16 << 20

        // Only a serial queue does not share its thread with Swift's tasks.
        private let queue = DispatchQueue(label: "DuetNATS.calls")
        private let state = Mutex(State())

        /// Adds a call that does not count against the limit.
        func add(_ call: @escaping @Sendable () -> Void) { add(Call(bytes: 0, run: call)) }

        /// Adds a call that holds a number of bytes until it has returned.
        ///
        /// - Throws: ``TransportError/connectionLost(reason:)`` if too many bytes wait.
        func add(bytes: Int, _ call: @escaping @Sendable () -> Void) throws {
            let isFull = state.withLock { $0.bytes > 0 && $0.bytes > Self.limit - bytes }
            guard !isFull else {
                throw TransportError.connectionLost(reason: "the server does not read what is sent to it")
            }
            add(Call(bytes: bytes, run: call))
        }

        private func add(_ call: Call) {
            let isFirst = state.withLock { state in
                state.waiting.append(call)
                state.bytes += call.bytes
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFirst { queue.async { [self] in run() } }
        }

        private func run() {
            while let call = next() {
                call.run()
                state.withLock { $0.bytes -= call.bytes }
            }
        }

        private func next() -> Call? {
            state.withLock { state in
                let call = state.waiting.popFirst()
                state.isRunning = call != nil
                return call
            }
        }
    }
#endif
