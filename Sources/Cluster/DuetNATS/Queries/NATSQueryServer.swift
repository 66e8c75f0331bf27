#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import Foundation

    final class NATSQueryServer: Sendable {
        private struct State {
            var subscription: (any CoreSubscription)?
            /// By their numbers, because several may name the same subject for their responses.
            var running: [Int: Running] = [:]
            var last = 0
            var waiting = FIFOQueue<Waiting>()
            var waitingBytes = 0

            var isIdle: Bool { running.isEmpty && waiting.isEmpty }
        }

        private struct Running {
            let reply: String
            let task: Task<Void, Never>
        }

        private struct Waiting {
            let message: CoreMessage
            let reply: String
        }

        /// The numbers of requests and of their bytes that may wait; more are refused, so that memory is bounded.
        private static let waitingLimit = 4096
        private static let byteLimit = 64 << 20

        private let inbox: RequestInbox
        private let limit: Int
        private let handler: EnvelopeHandler
        private let state = Monitor(State())

        init(_ inbox: RequestInbox, limit: Int, _ handler: @escaping EnvelopeHandler) {
            self.inbox = inbox
            self.limit = max(1, limit)
            self.handler = handler
        }

        func begin(_ subject: String) throws {
            let subscription = try inbox.connection.subscribe(subject, queue: "nodes") { [self] in receive($0) }
            state.update { $0.subscription = subscription }
        }

        /// Cancels the handlers of the requests with a subject for their responses, and removes those that wait.
        func cancel(_ reply: String) {
            let tasks = state.update { state in
                var bytes = 0
                state.waiting.removeAll { request in
                    guard request.reply == reply else { return false }
                    bytes += request.message.size
                    return true
                }
                state.waitingBytes -= bytes
                return state.running.values.filter { $0.reply == reply }.map(\.task)
            }
            // Without the lock, which handlers of the cancellation may need.
            for task in tasks { task.cancel() }
        }

        func stop() async {
            await state.read { $0.subscription }?.drain()
            await state.waitEvenIfCanceled { $0.isIdle }
            state.update { $0.subscription = nil }
            await inbox.roundTrip()
        }

        private func receive(_ message: CoreMessage) {
            // A request that names another subject would have this node send to it in place of its sender.
            guard let reply = message.reply, inbox.isInbox(reply) else { return }
            let size = message.size
            let isTaken = state.update { state in
                if state.running.count < limit {
                    start(message, reply, &state)
                } else if state.waiting.count < Self.waitingLimit, state.waitingBytes <= Self.byteLimit {
                    state.waiting.append(Waiting(message: message, reply: reply))
                    state.waitingBytes += size
                } else {
                    return false
                }
                return true
            }
            if !isTaken { respond(to: reply, failure: QueryFailure.busy) }
        }

        private func start(_ message: CoreMessage, _ reply: String, _ state: inout State) {
            state.last += 1
            let number = state.last
            let task = Task { [self] in
                let response = await handler(message.envelope)
                respond(to: reply, response)
                end(number)
            }
            state.running[number] = Running(reply: reply, task: task)
        }

        private func end(_ number: Int) {
            state.update { state in
                state.running[number] = nil
                while state.running.count < limit, let next = state.waiting.popFirst() {
                    state.waitingBytes -= next.message.size
                    start(next.message, next.reply, &state)
                }
            }
        }

        private func respond(to reply: String, _ envelope: Envelope) {
            let message = CoreMessage(subject: reply, envelope)
            do {
                try inbox.check(envelope, in: message)
                try inbox.connection.publish(message)
            } catch TransportError.tooLarge(let bytes, let limit) {
                respond(to: reply, failure: QueryFailure.tooLarge(bytes: bytes, limit: limit))
            } catch TransportError.refused(let reason) {
                respond(to: reply, failure: reason)
            } catch {
                // The connection was lost: the node that asked knows it, too.
            }
        }

        private func respond(to reply: String, failure: String) {
            try? inbox.connection.publish(CoreMessage(subject: reply, headers: [EngineHeader.failure: failure]))
        }
    }
#endif
