#if NATS
    import DuetClusterEngine
    import DuetContext
    import Foundation
    import Synchronization

    /// Follows the events of a stream by position, and begins again at the last one whenever something is missing.
    final class EventFollower: Sendable {
        private enum Signal {
            case message(CoreMessage, consumer: UInt64)
            /// It is time to look whether heartbeats arrive.
            case check
            /// The connection is established again.
            case connected
        }

        private static let heartbeat: Duration = .seconds(1)
        /// The time without a message or a heartbeat after which the consumer is treated as gone.
        private static let silence: Duration = .seconds(3)
        /// The largest number of bytes of messages that wait.
        ///
        /// The server waits with more, unless it has a fault.
        private static let byteLimit = 64 << 20

        private let stream: ManagedStream
        private let inbox: RequestInbox
        private let clock: any Clock<Duration>
        private let place = Mutex(FollowedPosition())
        private let signals: AsyncStream<Signal>
        private let continuation: AsyncStream<Signal>.Continuation
        private let waitingBytes = Mutex(0)
        /// The consumer at the server, and the subscription that receives its messages.
        private let consumer = Mutex((name: "", subscription: (any CoreSubscription)?.none))

        init(_ stream: ManagedStream, _ clock: any Clock<Duration>) {
            self.clock = clock
            self.stream = stream
            inbox = stream.jetStream.inbox
            (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(65_536))
        }

        deinit { endConsumer() }

        /// Begins after the last event of the stream, whose position is returned.
        func begin() async throws -> UInt64 {
            try await stream.withStream {
                let info = try await stream.info()
                place.withLock { $0 = FollowedPosition(epoch: info.epoch, sequence: info.state.lastSeq) }
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
            let timer = Task { [continuation, clock] in
                while (try? await clock.sleep(for: .seconds(1))) != nil { continuation.yield(.check) }
            }
            defer {
                timer.cancel()
                withExtendedLifetime(observation) {}
                endConsumer()
                events.finish()
            }
            var silence = Deadline(in: Self.silence, clock: clock)
            // When the next consumer is created; nil while there is one.
            var beginning: Deadline?
            for await signal in signals {
                if Task.isCancelled { break }
                switch signal {
                case .message(let message, let consumer):
                    waitingBytes.withLock { $0 -= message.size }
                    guard beginning == nil, place.withLock({ $0.consumer == consumer }) else { continue }
                    guard let isMissing = receive(message, output) else { continue }
                    silence = Deadline(in: Self.silence, clock: clock)
                    if isMissing { beginning = pause() }
                case .check:
                    output.retry()
                    let isSilent = inbox.connection.isConnected && silence.remaining <= .zero
                    if beginning == nil, isSilent { beginning = pause() }
                case .connected: beginning = Deadline(in: .zero, clock: clock)
                }
                if let due = beginning, due.remaining <= .zero {
                    beginning = await beginAgain(output) ? nil : pause()
                    silence = Deadline(in: Self.silence, clock: clock)
                }
            }
        }

        /// Ends the consumer, and returns when the next one is created.
        private func pause() -> Deadline {
            endConsumer()
            return Deadline(in: place.withLock { $0.pauseBeforeConsumer() }, clock: clock)
        }

        /// Yields an event, and reads a message of the server.
        ///
        /// - Returns: Whether an event is missing; nil for a message of neither the consumer nor the server.
        private func receive(_ message: CoreMessage, _ output: EventOutput) -> Bool? {
            if message.status != nil { return receive(status: message) }
            let name = consumer.withLock { $0.name }
            guard let delivered = DeliveredPosition(reply: message.reply, stream: stream.name, consumer: name) else {
                return nil
            }
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

        /// Reads flow control, which expects a message at its subject, and heartbeats with the last message that was
        /// sent to this consumer.
        private func receive(status message: CoreMessage) -> Bool {
            if let reply = message.reply ?? message.headers["Nats-Consumer-Stalled"],
                reply.isSubject(after: "$JS.FC.\(stream.name).", limit: 1024)
            {
                try? inbox.connection.publish(CoreMessage(subject: reply))
            }
            guard let last = message.headers["Nats-Last-Consumer"].flatMap({ UInt64($0) }) else { return false }
            return place.withLock { $0.lacksMessages(of: last) }
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

        /// Begins again at the next event, and yields a gap if that event no longer exists.
        ///
        /// - Returns: Whether there is a consumer.
        private func beginAgain(_ output: EventOutput) async -> Bool {
            do {
                stream.forget()
                let info = try await stream.info()
                if let gap = place.withLock({ $0.resume(in: info) }) { output.yield(.gap(position: gap)) }
                try await listen()
                return true
            } catch {
                return false
            }
        }

        /// Has the stream send the events after the place to a new inbox, through a consumer in place of the last one.
        ///
        /// - Throws: ``JetStreamError``; ``TransportError``; `CancellationError`.
        private func listen() async throws {
            endConsumer()
            let (number, sequence) = place.withLock { $0.beginConsumer() }
            let (subject, name) = (inbox.makeInbox(), RandomToken.make())
            let subscription = try inbox.connection.subscribe(subject, queue: nil) { [weak self] message in
                self?.enqueue(message, of: number)
            }
            consumer.withLock { $0 = (name, subscription) }
            var configuration = ConsumerConfiguration(ackPolicy: "none")
            configuration.name = name
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

        /// Receives no further message, and deletes the consumer at the server.
        private func endConsumer() {
            let ended = consumer.withLock { consumer in
                defer { consumer = ("", nil) }
                return consumer
            }
            guard ended.subscription != nil else { return }
            let subject = "$JS.API.CONSUMER.DELETE.\(stream.name).\(ended.name)"
            try? inbox.connection.publish(CoreMessage(subject: subject))
        }
    }

    /// The events of a follower, with a gap in place of those that it did not read in time.
    final class EventOutput {
        private let events: AsyncStream<BackplaneEvent>.Continuation
        /// The position of the last event that was discarded; nil if a gap is not due.
        private var missed: UInt64?

        init(_ events: AsyncStream<BackplaneEvent>.Continuation) { self.events = events }

        func yield(_ event: BackplaneEvent) {
            if missed != nil {
                missed = event.position
                return retry()
            }
            if case .dropped = events.yield(event) { missed = event.position }
        }

        /// Reports a gap that is due, if there is room for it now.
        func retry() {
            guard let position = missed else { return }
            if case .enqueued = events.yield(.gap(position: position)) { missed = nil }
        }
    }
#endif
