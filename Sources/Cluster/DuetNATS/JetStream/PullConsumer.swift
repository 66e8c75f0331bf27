#if NATS
    import Foundation
    import Synchronization

    /// Pulls the messages of a durable consumer, one at a time.
    ///
    /// The server sends heartbeats while a pull waits. If they are missing, for example because the leader of the
    /// consumer has failed, the pull is sent again.
    final class PullConsumer: Sendable {
        private struct State {
            var message: CoreMessage?
            /// Where the acknowledgment of the last message is sent, until it has one.
            var held: String?
            var waiter: CheckedContinuation<CoreMessage?, Never>?
            /// The number of the last pull, which its inbox contains; others are out of date.
            var pull: UInt64 = 0
            var isPulling = false
            /// The server reported that it has no such consumer, or something else that a later pull may resolve.
            var isDisturbed = false
            var heard = ContinuousClock.now
            var isStopped = false
            var subscription: (any CoreSubscription)?
        }

        static let heartbeat: Duration = .seconds(1)
        private static let silence: Duration = .seconds(3)

        private let connection: any CoreConnection
        private let subject: String
        private let inbox: String
        private let stream: String
        private let consumer: String
        private let request: String
        private let state = Mutex(State())

        init(_ requests: RequestInbox, stream: String, consumer: String) throws {
            connection = requests.connection
            subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)"
            inbox = requests.makeInbox()
            self.stream = stream
            self.consumer = consumer
            request = #"{"batch":1,"expires":30000000000,"idle_heartbeat":\#(Self.heartbeat.nanoseconds)}"#
            // A message has its own subject, also if it was sent to an inbox: each consumer needs a subscription.
            let subscription = try connection.subscribe(inbox + ".*", queue: nil) { [weak self] in self?.receive($0) }
            state.withLock { $0.subscription = subscription }
        }

        /// Waits for the next message; nil when this is stopped.
        ///
        /// Only one task may wait.
        func next() async -> CoreMessage? {
            await withCheckedContinuation { continuation in
                let (message, pull): (CoreMessage??, UInt64?) = state.withLock { state in
                    if state.isStopped { return (.some(nil), nil) }
                    if let message = state.message.take() { return (message, nil) }
                    state.waiter = continuation
                    return (nil, state.isPulling ? nil : Self.begin(&state))
                }
                if let message { continuation.resume(returning: message) }
                if let pull { send(pull) }
            }
        }

        /// The position of a message of the consumer; nil for any other message.
        func position(of message: CoreMessage) -> DeliveredPosition? {
            DeliveredPosition(reply: message.reply, stream: stream, consumer: consumer)
        }

        /// Acknowledges a message and pulls the next one, in one message to the server.
        func acknowledgeAndPull(_ reply: String) {
            let pull = state.withLock { state -> UInt64? in
                if state.held == reply { state.held = nil }
                guard !state.isStopped, state.message == nil, !state.isPulling else { return nil }
                return Self.begin(&state)
            }
            let text = pull == nil ? "+ACK" : "+NXT " + request
            let inbox = pull.map { number in "\(self.inbox).\(number)" }
            try? connection.publish(CoreMessage(subject: reply, reply: inbox, payload: Data(text.utf8)))
        }

        /// Sends an acknowledgment of a message, positive or negative.
        ///
        /// If it does not arrive, the message is delivered again.
        func acknowledge(_ reply: String, with text: String) {
            state.withLock { if $0.held == reply { $0.held = nil } }
            try? connection.publish(CoreMessage(subject: reply, payload: Data(text.utf8)))
        }

        /// Keeps the server from delivering a message again that was received and has no acknowledgment.
        func keepAlive() {
            guard let reply = state.withLock({ $0.held }) else { return }
            try? connection.publish(CoreMessage(subject: reply, payload: Data("+WPI".utf8)))
        }

        /// Sends a pull again if nothing was heard.
        ///
        /// - Returns: Whether the consumer should be looked for at the server.
        func check() -> Bool {
            guard connection.isConnected else { return false }
            let (pull, isDisturbed) = state.withLock { state -> (UInt64?, Bool) in
                defer { state.isDisturbed = false }
                let isSilent = ContinuousClock.now - state.heard > Self.silence
                guard !state.isStopped, state.waiter != nil, !state.isPulling || isSilent else { return (nil, false) }
                return (Self.begin(&state), state.isDisturbed || isSilent)
            }
            if let pull { send(pull) }
            return isDisturbed
        }

        /// The connection is established again: what was asked for is lost.
        func restart() {
            let pull = state.withLock { state -> UInt64? in
                state.isPulling = false
                return state.waiter == nil || state.isStopped ? nil : Self.begin(&state)
            }
            if let pull { send(pull) }
        }

        /// Takes no further message, and returns one that was received and not taken to the server.
        func stop() {
            let (waiter, message) = state.withLock { state in
                state.isStopped = true
                return (state.waiter.take(), state.message.take())
            }
            if let message { reject(message) }
            waiter?.resume(returning: nil)
        }

        /// Ends the subscription, when no message is expected any longer.
        func close() async {
            let subscription = state.withLock { state in
                defer { state.subscription = nil }
                return state.subscription
            }
            await subscription?.drain()
        }

        private static func begin(_ state: inout State) -> UInt64 {
            state.pull += 1
            state.isPulling = true
            state.heard = .now
            return state.pull
        }

        private func send(_ pull: UInt64) {
            guard connection.isConnected else { return }
            let message = CoreMessage(subject: subject, reply: "\(inbox).\(pull)", payload: Data(request.utf8))
            try? connection.publish(message)
        }

        private func receive(_ message: CoreMessage) {
            if message.status != nil { return receive(status: message) }
            // Nothing but the server's acknowledgment is sent to the subject that a message names.
            guard position(of: message) != nil else { return }
            let (waiter, isStopped) = state.withLock { state in
                state.isPulling = false
                state.heard = .now
                defer { state.waiter = nil }
                if !state.isStopped {
                    state.held = message.reply
                    if state.waiter == nil { state.message = message }
                }
                return (state.waiter, state.isStopped)
            }
            if isStopped { reject(message) } else { waiter?.resume(returning: message) }
        }

        private func receive(status message: CoreMessage) {
            guard let number = message.subject.number(after: inbox + ".") else { return }
            let pull = state.withLock { state -> UInt64? in
                guard number == state.pull, !state.isStopped else { return nil }
                state.heard = .now
                if message.status == 100 { return nil }
                state.isPulling = false
                if message.status != 408 {
                    // Repeated by the next check, so that errors do not make a loop.
                    state.isDisturbed = true
                    return nil
                }
                return state.waiter == nil ? nil : Self.begin(&state)
            }
            if let pull { send(pull) }
        }

        /// Has a message delivered to another node at once.
        private func reject(_ message: CoreMessage) {
            if let reply = message.reply { acknowledge(reply, with: "-NAK") }
        }
    }
#endif
