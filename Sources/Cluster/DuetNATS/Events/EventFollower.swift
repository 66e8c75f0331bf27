#if NATS
    import DuetCluster
    import DuetClusterEngine
    import Foundation
    import Synchronization

    /// Follows the events of a stream by position, and begins again at the last one whenever something is missing.
    final class EventFollower: Sendable {
        private enum Signal: Sendable {
            case message(CoreMessage, consumer: UInt64)
            /// It is time to look whether heartbeats arrive.
            case check
            /// The connection is established again.
            case connected
        }

        private static let heartbeat: Duration = .seconds(1)
        /// The largest number of bytes of messages that wait.
        ///
        /// The server waits with more, unless it has a fault.
        private static let byteLimit = 64 << 20

        private let stream: ManagedStream
        private let inbox: RequestInbox
        private let place = Mutex(FollowedPlace())
        private let signals: AsyncStream<Signal>
        private let continuation: AsyncStream<Signal>.Continuation
        private let waitingBytes = Mutex(0)
        private let subscription = Mutex<(any CoreSubscription)?>(nil)

        init(_ stream: ManagedStream) {
            self.stream = stream
            inbox = stream.jetStream.inbox
            (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(65_536))
        }

        /// Begins after the last event of the stream, whose position is returned.
        func begin() async throws -> UInt64 {
            try await stream.withStream {
                let info = try await stream.info()
                place.withLock { $0 = FollowedPlace(epoch: info.epoch, sequence: info.state.lastSeq) }
                try await listen()
                return info.state.lastSeq == 0 ? 0 : info.epoch + info.state.lastSeq
            }
        }

        /// Yields events until the task is canceled.
        func run(_ events: AsyncStream<BackplaneEvent>.Continuation) async {
            let output = EventOutput(events)
            let observation = inbox.connection.observe { [continuation] event in
                switch event {
                case .connected: continuation.yield(.connected)
                case .closed: continuation.finish()
                default: break
                }
            }
            let timer = Task { [continuation] in
                while (try? await ContinuousClock().sleep(for: .seconds(1))) != nil { continuation.yield(.check) }
            }
            defer {
                timer.cancel()
                withExtendedLifetime(observation) {}
            }
            var heard = ContinuousClock.now
            for await signal in signals {
                if Task.isCancelled { break }
                var isBroken = false
                switch signal {
                case .message(let message, let consumer):
                    waitingBytes.withLock { $0 -= message.size }
                    guard place.withLock({ $0.consumer == consumer }) else { continue }
                    heard = .now
                    isBroken = receive(message, output)
                case .check:
                    output.retry()
                    isBroken = inbox.connection.isConnected && ContinuousClock.now - heard > .seconds(3)
                case .connected:
                    isBroken = true
                }
                if isBroken {
                    if let gap = await beginAgain() { output.yield(.gap(position: gap)) }
                    heard = .now
                }
            }
            subscription.withLock { $0 = nil }
            events.finish()
        }

        /// Returns whether something is missing, so that this must begin again.
        private func receive(_ message: CoreMessage, _ output: EventOutput) -> Bool {
            if message.status != nil {
                // Flow control, which expects a message at its subject, and heartbeats with the last message that was
                // sent to this consumer.
                if let reply = message.reply ?? message.headers["Nats-Consumer-Stalled"],
                    reply.isSubject(after: "$JS.FC.", limit: 1024)
                {
                    try? inbox.connection.publish(CoreMessage(subject: reply))
                }
                guard let last = message.headers["Nats-Last-Consumer"].flatMap({ UInt64($0) }) else { return false }
                return place.withLock { last > $0.delivered }
            }
            guard let delivered = DeliveredPosition(reply: message.reply) else { return false }
            let step = place.withLock { $0.advance(to: delivered) }
            switch step {
            case .next(let position):
                output.yield(.event(message.envelope, position: position))
            case .after(let gap, let position):
                output.yield(.gap(position: gap))
                output.yield(.event(message.envelope, position: position))
            case .missing: return true
            case .repeated: break
            }
            return false
        }

        /// Keeps a message until it is its turn.
        ///
        /// If there is no room, it is discarded, and the number of the next one shows that.
        private func enqueue(_ message: CoreMessage, of consumer: UInt64) {
            let hasRoom = waitingBytes.withLock { bytes in
                guard bytes <= Self.byteLimit else { return false }
                bytes += message.size
                return true
            }
            guard hasRoom else { return }
            if case .enqueued = continuation.yield(.message(message, consumer: consumer)) { return }
            waitingBytes.withLock { $0 -= message.size }
        }

        /// Begins again at the next event, and returns the position of a gap if that event no longer exists.
        private func beginAgain() async -> UInt64? {
            var gap: UInt64?
            while !Task.isCancelled, !inbox.isClosed {
                do {
                    stream.forget()
                    let info = try await stream.info()
                    gap = place.withLock { $0.resume(in: info) } ?? gap
                    try await listen()
                    return gap
                } catch {
                    try? await ContinuousClock().sleep(for: .milliseconds(250))
                }
            }
            return nil
        }

        /// Has the stream send the events after the place to a new inbox.
        ///
        /// - Throws: ``JetStreamError``; ``TransportError``; `CancellationError`.
        private func listen() async throws {
            let (number, sequence) = place.withLock { $0.beginConsumer() }
            let subject = inbox.makeInbox()
            let subscription = try inbox.connection.subscribe(subject, queue: nil) { [weak self] message in
                self?.enqueue(message, of: number)
            }
            self.subscription.withLock { $0 = subscription }
            var configuration = ConsumerConfiguration(ackPolicy: "none")
            configuration.deliverSubject = subject
            configuration.deliverPolicy = "by_start_sequence"
            configuration.optStartSeq = sequence + 1
            configuration.maxDeliver = 1
            configuration.idleHeartbeat = Self.heartbeat.nanoseconds
            configuration.flowControl = true
            configuration.inactiveThreshold = Duration.seconds(30).nanoseconds
            configuration.memStorage = true
            configuration.numReplicas = 1
            try await stream.jetStream.createConsumer(stream.name, configuration)
        }
    }
#endif
