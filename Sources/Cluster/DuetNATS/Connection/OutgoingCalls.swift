#if NATS
    import Dispatch
    import DuetCluster
    import DuetClusterEngine
    import Synchronization

    /// The calls of a connection to its library, in order.
    ///
    /// The library writes to the socket within a call, and holds a lock meanwhile. If the server does not read, a call
    /// blocks until the write deadline has passed, and so does each other call. So calls have their own thread, which
    /// is not one of Swift's tasks. Few bytes do not wait for that thread, because a socket takes them in any case.
    final class OutgoingCalls: Sendable {
        private struct Call: Sendable {
            let bytes: Int
            let run: @Sendable () -> Void
        }

        private struct State {
            var waiting = FIFOQueue<Call>()
            var bytes = 0
            var isRunning = false
            /// The number of bytes that were sent without the thread since the server was heard.
            var direct = 0
            /// Whether several calls waited when the thread was last used: then it is faster than its callers.
            var isBusy = false
        }

        /// The number of bytes of messages that may wait.
        static let limit = 16 << 20

        /// The number of bytes that the buffers of a socket take although the server does not read.
        private static let directLimit = 16 << 10

        // Only a serial queue does not share its thread with Swift's tasks.
        private let queue = DispatchQueue(label: "DuetNATS.calls")
        private let state = Mutex(State())

        /// Adds a call that does not count against the limit.
        func add(_ call: @escaping @Sendable () -> Void) { add(Call(bytes: 0, run: call)) }

        /// Adds a call that holds a number of bytes until it has returned; or makes it at once, if few bytes were sent
        /// since the server was heard.
        ///
        /// - Throws: ``TransportError/connectionLost(reason:)`` if too many bytes wait.
        func add(bytes: Int, isConnected: Bool, _ call: @escaping @Sendable () -> Void) throws {
            let (isFull, isDirect) = state.withLock { state in
                let isDirect =
                    isConnected && !state.isRunning && !state.isBusy && state.direct + bytes <= Self.directLimit
                if isDirect {
                    state.direct += bytes
                    state.isRunning = true
                }
                return (state.bytes > 0 && state.bytes > Self.limit - bytes, isDirect)
            }
            if isDirect {
                call()
                let isDone = state.withLock { state in
                    state.isRunning = !state.waiting.isEmpty
                    return !state.isRunning
                }
                if !isDone { queue.async { [self] in run() } }
            } else if isFull {
                throw TransportError.connectionLost(reason: "the server does not read what is sent to it")
            } else {
                add(Call(bytes: bytes, run: call))
            }
        }

        /// The server has sent something, so that it reads, too.
        func noteHeard() { state.withLock { $0.direct = 0 } }

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
            var count = 0
            while let call = next(after: count) {
                call.run()
                count += 1
                state.withLock { $0.bytes -= call.bytes }
            }
        }

        private func next(after count: Int) -> Call? {
            state.withLock { state in
                let call = state.waiting.popFirst()
                state.isRunning = call != nil
                if call == nil { state.isBusy = count > 1 }
                return call
            }
        }
    }
#endif
