#if NATS
    import DuetCluster
    import Foundation
    import Synchronization

    /// Handles the requests of a route that this node receives.
    final class QueryServer: Sendable {
        private struct State {
            var subscription: (any CoreSubscription)?
            /// By the subjects of their responses.
            var running: [String: Task<Void, Never>] = [:]
            var waiting = FIFOQueue<CoreMessage>()
            var isStopping = false
            var stopping: [CheckedContinuation<Void, Never>] = []

            var isIdle: Bool { running.isEmpty && waiting.isEmpty }
        }

        /// The number of requests that may wait; more are refused, so that memory is bounded.
        private static let waitingLimit = 4096

        private let inbox: RequestInbox
        private let limit: Int
        private let handler: @Sendable @concurrent (Envelope) async -> Envelope
        private let state = Mutex(State())

        init(_ inbox: RequestInbox, limit: Int, _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope)
        {
            self.inbox = inbox
            self.limit = max(1, limit)
            self.handler = handler
        }

        func begin(_ subject: String) throws {
            let subscription = try inbox.connection.subscribe(subject, queue: "nodes") { [self] in receive($0) }
            state.withLock { $0.subscription = subscription }
        }

        /// Cancels the handler of a request, or removes it if it waits.
        ///
        /// Unknown requests are ignored.
        func cancel(_ request: String) {
            let running = state.withLock { state -> Task<Void, Never>? in
                if let task = state.running[request] { return task }
                state.waiting.removeAll { $0.reply == request }
                return nil
            }
            // Without the lock, which handlers of the cancellation may need.
            running?.cancel()
        }

        /// Takes no further request, and returns when those that were received are handled.
        func stop() async {
            let subscription = state.withLock { state in
                state.isStopping = true
                return state.subscription
            }
            await subscription?.drain()
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    if !state.isIdle { state.stopping.append(continuation) }
                    return state.isIdle
                }
                if isIdle { continuation.resume() }
            }
            state.withLock { $0.subscription = nil }
            await inbox.roundTrip()
        }

        private func receive(_ message: CoreMessage) {
            guard let reply = message.reply else { return }
            let isTaken = state.withLock { state in
                if state.running.count < limit {
                    start(message, reply, &state)
                } else if state.waiting.count < Self.waitingLimit {
                    state.waiting.append(message)
                } else {
                    return false
                }
                return true
            }
            if !isTaken { respond(to: reply, failure: QueryFailure.busy) }
        }

        private func start(_ message: CoreMessage, _ reply: String, _ state: inout State) {
            state.running[reply] = Task { [self] in
                let response = await handler(message.envelope)
                respond(to: reply, response)
                end(reply)
            }
        }

        private func end(_ reply: String) {
            let stopping = state.withLock { state in
                state.running[reply] = nil
                while state.running.count < limit, let message = state.waiting.popFirst() {
                    if let reply = message.reply { start(message, reply, &state) }
                }
                guard state.isStopping, state.isIdle else { return [CheckedContinuation<Void, Never>]() }
                defer { state.stopping = [] }
                return state.stopping
            }
            for continuation in stopping { continuation.resume() }
        }

        private func respond(to reply: String, _ envelope: Envelope) {
            let message = CoreMessage(subject: reply, envelope)
            do {
                try inbox.check(envelope, in: message)
                try inbox.connection.publish(message)
            } catch TransportError.tooLarge(let bytes, let limit) {
                respond(to: reply, failure: QueryFailure.tooLarge(bytes: bytes, limit: limit))
            } catch {
                // The connection was lost: the node that asked knows it, too.
            }
        }

        private func respond(to reply: String, failure: String) {
            try? inbox.connection.publish(CoreMessage(subject: reply, headers: [EngineHeader.failure: failure]))
        }
    }
#endif
