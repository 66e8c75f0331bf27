#if NATS
    import DuetCluster
    import Foundation
    import Synchronization

    /// Handles the commands of one partition that this node receives, one after another.
    final class CommandWorker: Sendable {
        private struct State {
            /// The last command that was done, which the server delivers again if it missed the acknowledgment.
            var last: (sequence: UInt64, id: String)?
            var isStopping = false
        }

        let consumer: CommandConsumer
        let pull: PullConsumer
        private let letters: NATSDeadLetters
        private let attempts: Int
        private let abandoned: @Sendable @concurrent (Delivery) async -> Void
        private let handler: @Sendable @concurrent (Delivery) async -> Disposition
        private let state = Mutex(State())

        init(
            _ consumer: CommandConsumer,
            _ letters: NATSDeadLetters,
            _ options: ProcessingOptions,
            abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
            _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
        ) throws {
            self.consumer = consumer
            pull = try PullConsumer(
                consumer.stream.jetStream.inbox,
                stream: consumer.stream.name,
                consumer: consumer.name
            )
            self.letters = letters
            attempts = max(1, options.attempts)
            self.abandoned = abandoned
            self.handler = handler
        }

        /// Handles commands until ``stop()``.
        func run() async {
            while let message = await pull.next() {
                guard let reply = message.reply, let position = DeliveredPosition(reply: reply) else { continue }
                await handle(message, position, reply)
            }
            await pull.close()
        }

        /// Takes no further command.
        ///
        /// The one that is being handled ends as usual.
        func stop() {
            state.withLock { $0.isStopping = true }
            pull.stop()
        }

        private func handle(_ message: CoreMessage, _ place: DeliveredPosition, _ reply: String) async {
            let delivery = Delivery(
                command: message.command,
                position: LogPosition(partition: consumer.partition, sequence: place.streamSequence),
                attempt: place.deliveries
            )
            let isDone = state.withLock { state in
                state.last.map { $0 == (place.streamSequence, delivery.command.id) } ?? false
            }
            if isDone { return acknowledge(delivery, reply) }
            guard delivery.attempt <= attempts else {
                await abandoned(Delivery(command: delivery.command, position: delivery.position, attempt: attempts))
                let reason = "It was delivered \(attempts) times, and no attempt ended: see the logs of the nodes"
                return await bury(delivery, attempts: attempts, reason, message, reply)
            }
            switch await handler(delivery) {
            case .done:
                acknowledge(delivery, reply)
            case .retry(let delay, _) where delivery.attempt < attempts:
                pull.acknowledge(reply, with: #"-NAK {"delay":\#(max(0, delay.nanoseconds))}"#)
            case .retry(_, let reason), .dead(let reason):
                await bury(delivery, attempts: delivery.attempt, reason, message, reply)
            }
        }

        /// Makes a dead letter of a command, which is then done.
        private func bury(
            _ delivery: Delivery,
            attempts: Int,
            _ reason: String,
            _ message: CoreMessage,
            _ reply: String
        ) async {
            do {
                try await letters.add(message, at: delivery.position, attempts: attempts, reason: reason)
                acknowledge(delivery, reply)
            } catch {
                // It is delivered again, and becomes a dead letter then.
                pull.acknowledge(reply, with: #"-NAK {"delay":1000000000}"#)
            }
        }

        private func acknowledge(_ delivery: Delivery, _ reply: String) {
            let isStopping = state.withLock { state in
                state.last = (delivery.position.sequence, delivery.command.id)
                return state.isStopping
            }
            if isStopping { pull.acknowledge(reply, with: "+ACK") } else { pull.acknowledgeAndPull(reply) }
        }
    }
#endif
