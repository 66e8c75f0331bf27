#if NATS
    import DuetClusterEngine
    import Synchronization

    /// Events in a stream, which each node follows by position.
    ///
    /// A stream in memory would begin again at the first position after all servers of a cluster had crashed. A node
    /// that is separated from the servers can catch up for five minutes.
    final class NATSBackplane: Backplane {
        private let stream: ManagedStream
        private let subject: String
        private let followers = EventFollowers()
        private let clock: any Clock<Duration>

        init(_ jetStream: JetStream, name: String, options: NATSOptions) {
            subject = "\(name).event"
            var events = StreamConfiguration(
                name: "\(name)_EVENTS",
                subjects: [subject],
                storage: "file",
                replicas: options.replicas,
                maxAge: .seconds(300)
            )
            events.description = "Events of Duet"
            events.duplicateWindow = Duration.seconds(120).nanoseconds
            stream = ManagedStream(jetStream, events)
            clock = options.clock
        }

        func publish(_ event: Envelope) async throws -> UInt64 {
            var message = CoreMessage(subject: subject, event)
            // An attempt that is repeated is stored once.
            message.headers[EngineHeader.messageID] = RandomToken.make()
            try stream.jetStream.inbox.check(event, in: message)
            let ack = try await stream.publish(message) { [stream] in
                // In place of the older half of the others: a node that has not followed those gets a gap.
                try await stream.purge(.init(keep: stream.info().state.messages / 2))
            }
            return try await stream.ready().epoch + ack.seq
        }

        func follow() async throws -> BackplaneFollower {
            let follower = EventFollower(stream, clock)
            let start = try await follower.begin()
            return BackplaneFollower(start: start, events: followers.events(of: follower))
        }

        func close() async { await followers.close() }
    }

    /// The followers of a node, and what keeps them going.
    final class EventFollowers: Sendable {
        private struct State {
            var last = 0
            var running: [Int: Task<Void, Never>] = [:]
            var isClosed = false
        }

        private let state = Mutex(State())

        /// The number of events that a follower which is not read keeps; then it has a gap.
        static let bufferLimit = 10_000

        func events(of follower: EventFollower) -> AsyncStream<BackplaneEvent> {
            let (events, continuation) = AsyncStream.makeStream(
                of: BackplaneEvent.self,
                bufferingPolicy: .bufferingOldest(Self.bufferLimit)
            )
            let task = Task { await follower.run(continuation) }
            let number = state.withLock { state in
                state.last += 1
                if !state.isClosed { state.running[state.last] = task }
                return state.isClosed ? nil : state.last
            }
            guard let number else {
                task.cancel()
                return events
            }
            continuation.onTermination = { [weak self] _ in
                task.cancel()
                self?.state.withLock { _ = $0.running.removeValue(forKey: number) }
            }
            return events
        }

        /// Ends all followers, which then have no consumer at the server.
        func close() async {
            let running = state.withLock { state in
                state.isClosed = true
                return state.running.values
            }
            for task in running { task.cancel() }
            for task in running { await task.value }
        }
    }
#endif
