#if NATS
    import DuetCluster
    import DuetClusterEngine
    import Foundation
    import Synchronization

    /// Handles the commands of one partition that this node receives, one after another.
    final class CommandWorker: Sendable {
        private struct State {
            /// The last command that was done, which the server delivers again if it missed the acknowledgment.
            var last: (sequence: UInt64, id: String)?
            var isStopping = false
        }

        /// Has a message delivered again a second later.
        private static let nextSecond = #"-NAK {"delay":1000000000}"#

        let consumer: CommandConsumer
        let pull: PullConsumer
        private let letters: NATSDeadLetters
        /// The numbers of deliveries that do not count.
        private let skipped: CommandNotes
        private let attempts: Int
        private let abandoned: AbandonmentHandler
        private let handler: DeliveryHandler
        private let state = Mutex(State())

        init(
            _ consumer: CommandConsumer,
            letters: NATSDeadLetters,
            skipped: CommandNotes,
            options: ProcessingOptions,
            abandoned: @escaping AbandonmentHandler,
            handler: @escaping DeliveryHandler
        ) throws {
            self.consumer = consumer
            pull = try PullConsumer(
                consumer.stream.jetStream.inbox,
                stream: consumer.stream.name,
                consumer: consumer.name
            )
            self.letters = letters
            self.skipped = skipped
            attempts = max(1, options.attempts)
            self.abandoned = abandoned
            self.handler = handler
        }

        /// Handles commands until ``stop()``.
        func run() async {
            while let message = await pull.next() {
                guard let reply = message.reply, let position = pull.position(of: message) else { continue }
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
            let command = message.command
            let position = LogPosition(partition: consumer.partition, sequence: place.streamSequence)
            let isDone = state.withLock { state in
                state.last.map { $0 == (place.streamSequence, command.id) } ?? false
            }
            if isDone { return acknowledge(position, command, reply) }
            guard let count = await skippedCount(of: command, at: position, place) else {
                return pull.acknowledge(reply, with: Self.nextSecond)
            }
            let attempt = place.deliveries - count
            let delivery = Delivery(command: command, position: position, attempt: attempt, skipped: count)
            guard delivery.attempt <= attempts else {
                await abandoned(Delivery(command: delivery.command, position: delivery.position, attempt: attempts))
                let reason = "It was delivered \(attempts) times, and no attempt ended: see the logs of the nodes"
                return await makeDeadLetter(of: delivery, attempts: attempts, reason: reason, message, reply)
            }
            switch await handler(delivery) {
            case .done:
                acknowledge(position, command, reply)
            case .skipped(let delay):
                await skip(delivery, for: delay, reply)
            case .retry(let delay, _) where delivery.attempt < attempts:
                pull.acknowledge(reply, with: Self.later(delay))
            case .retry(_, let reason), .dead(let reason):
                await makeDeadLetter(of: delivery, attempts: delivery.attempt, reason: reason, message, reply)
            }
        }

        /// The number of deliveries that do not count, fewer than all; nil if it is not known.
        private func skippedCount(
            of command: LoggedCommand,
            at position: LogPosition,
            _ place: DeliveredPosition
        ) async -> Int? {
            guard place.deliveries > 1 else { return 0 }
            let clock = consumer.stream.jetStream.clock
            let delay = { @Sendable [self] (_: Int) -> Duration? in
                let isStopping = state.withLock { $0.isStopping }
                return isStopping ? nil : .seconds(1)
            }
            do {
                let count = try await repeatingTemporaryFailures(clock, delay: delay) {
                    try await skipped.note(of: command.id, at: position)
                        .flatMap { Int(String(decoding: $0.body.prefix(20), as: UTF8.self)) }
                }
                return min(max(0, count ?? 0), place.deliveries - 1)
            } catch TransportError.refused {
                // The server does not keep the numbers.
                return 0
            } catch {
                return nil
            }
        }

        /// Has an attempt that does not count made again, on another node if there is one.
        private func skip(_ delivery: Delivery, for delay: Duration, _ reply: String) async {
            do {
                let count = Data(String(delivery.skipped + 1).utf8)
                try await skipped.keep(Envelope(body: count), of: delivery.command.id, at: delivery.position)
            } catch {
                // The next delivery counts as one too many.
            }
            pull.acknowledge(reply, with: Self.later(delay))
        }

        private static func later(_ delay: Duration) -> String {
            delay > .zero ? #"-NAK {"delay":\#(delay.nanoseconds)}"# : "-NAK"
        }

        /// Makes a dead letter of a command, which is then done.
        private func makeDeadLetter(
            of delivery: Delivery,
            attempts: Int,
            reason: String,
            _ message: CoreMessage,
            _ reply: String
        ) async {
            do {
                try await letters.add(message, at: delivery.position, attempts: attempts, reason: reason)
                acknowledge(delivery.position, delivery.command, reply)
            } catch {
                // It is delivered again, and becomes a dead letter then.
                pull.acknowledge(reply, with: Self.nextSecond)
            }
        }

        private func acknowledge(_ position: LogPosition, _ command: LoggedCommand, _ reply: String) {
            let isStopping = state.withLock { state in
                state.last = (position.sequence, command.id)
                return state.isStopping
            }
            if isStopping { pull.acknowledge(reply, with: "+ACK") } else { pull.acknowledgeAndPull(reply) }
        }
    }
#endif
