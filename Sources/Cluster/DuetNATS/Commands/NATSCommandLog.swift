#if NATS
    import DuetClusterEngine
    import DuetContext

    /// Commands in a stream, with one subject and one durable consumer for each partition.
    ///
    /// A consumer has at most one unacknowledged message, which gives the order of a partition over all nodes.
    final class NATSCommandLog: CommandLog {
        let partitionCount: Int
        var deadLetters: any DeadLetters { letters }

        private let jetStream: JetStream
        private let stream: ManagedStream
        private let letters: NATSDeadLetters
        private let skipped: CommandNotes
        private let refused: CommandNotes
        private let duplicateWindow: Duration
        private let subjects: CommandSubjects
        private let registrations: Registrations

        /// The number of handled commands that leave a full log at once, beside those before the first unhandled one.
        private static let removals = 32

        init(_ jetStream: JetStream, name: String, options: NATSOptions, registrations: Registrations) {
            self.jetStream = jetStream
            self.registrations = registrations
            partitionCount = options.partitions
            subjects = CommandSubjects(name: name, partitions: options.partitions)
            var commands = StreamConfiguration(
                name: "\(name)_COMMANDS",
                subjects: (0..<options.partitions).map(subjects.command),
                storage: "file",
                replicas: options.replicas,
                maxAge: .zero
            )
            commands.description = "Commands of Duet"
            // A full log refuses commands. The other policy would remove some that were not handled.
            commands.discard = "new"
            commands.maxBytes = options.commandBytes.map(Int64.init)
            commands.duplicateWindow = options.duplicateWindow.nanoseconds
            stream = ManagedStream(jetStream, commands)
            duplicateWindow = options.duplicateWindow
            let (month, window) = (Duration.seconds(30 * 86_400), options.duplicateWindow * 2)
            skipped = CommandNotes(jetStream, "skipped", name: name, options: options, lifetime: month)
            // A repeat is recognized for the window, which begins before the command is handled.
            refused = CommandNotes(jetStream, "refused", name: name, options: options, lifetime: window)
            letters = NATSDeadLetters(
                jetStream,
                commands: stream,
                subjects,
                refused: refused,
                name: name,
                options: options
            )
        }

        func epoch() async throws -> UInt64 { try await stream.info().epoch }

        func append(_ command: LoggedCommand) async throws -> Appended {
            let partition = subjects.partition(of: command)
            var message = CoreMessage(subject: subjects.command(partition), command)
            message[header: EngineHeader.messageID] = command.id
            try jetStream.inbox.check(command.envelope, in: message)
            let ack = try await stream.publish(message, makingRoom: makeRoom)
            let (isRepeat, first) = (ack.duplicate ?? false, LogPosition(partition: partition, sequence: ack.seq))
            let position = isRepeat ? try await refused.lastRetry(of: command.id, after: first) : first
            return Appended(position: position, isRepeat: isRepeat)
        }

        func process(
            _ options: ProcessingOptions,
            abandoned: @escaping AbandonmentHandler,
            _ handler: @escaping DeliveryHandler
        ) async throws -> any Registration {
            _ = try await letters.stream.ready()
            let consumers = (0..<partitionCount).map { partition in
                CommandConsumer(stream, subject: subjects.command(partition), partition: partition, options: options)
            }
            try await withThrowingDiscardingTaskGroup { group in
                for consumer in consumers { group.addTask { try await consumer.create() } }
            }
            let processing = CommandProcessing(
                try consumers.map {
                    try CommandWorker(
                        $0,
                        letters: letters,
                        skipped: skipped,
                        options: options,
                        abandoned: abandoned,
                        handler: handler
                    )
                },
                jetStream.inbox,
                redelivery: options.redelivery
            )
            let cleaning = Task { await removeHandled() }
            return registrations.add {
                cleaning.cancel()
                await processing.stop()
            }
        }

        func handledPosition(in partition: Int) async throws -> LogPosition {
            LogPosition(partition: partition, sequence: try await info(of: partition)?.ackFloor.streamSeq ?? 0)
        }

        func lastPosition(in partition: Int) async throws -> LogPosition {
            // The last sequence of the stream may be that of another partition, and a handled command may be removed.
            let message = try await stream.lastMessage(of: subjects.command(partition))
            let handled = try await handledPosition(in: partition).sequence
            return LogPosition(partition: partition, sequence: max(handled, message?.seq ?? 0))
        }

        func contains(_ id: String, at position: LogPosition) async throws -> Bool {
            try await stream.message(at: position.sequence)?.message.command.id.utf8.elementsEqual(id.utf8) ?? false
        }

        func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
            try await refused.keep(outcome, of: id, at: position)
        }

        func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
            try await refused.note(of: id, at: position)
        }

        // MARK: Removal

        /// Removes commands that were handled at least the duplicate window ago, until the task is canceled.
        ///
        /// A server that starts again knows the identifiers of the commands that it still has.
        private func removeHandled() async {
            let clock = jetStream.clock
            var samples: [(end: Deadline, sequence: UInt64)] = []
            while (try? await clock.sleep(for: max(.milliseconds(100), duplicateWindow / 5))) != nil {
                do {
                    if let last = samples.lastIndex(where: { $0.end.remaining <= .zero }) {
                        try await remove(before: samples[last].sequence)
                        samples.removeSubrange(...last)
                    }
                    let end = Deadline(in: duplicateWindow, clock: clock)
                    samples.append((end, try await firstUnhandled()))
                } catch {
                    // The next removal includes these commands.
                }
            }
        }

        /// The sequence before which all commands of all partitions are handled.
        private func firstUnhandled() async throws -> UInt64 {
            // Before the partitions are asked, because each may get another command meanwhile.
            var first = try await stream.info().state.lastSeq + 1
            for partition in 0..<partitionCount {
                // Without a consumer, no node has ever handled commands of the partition.
                guard let consumer = try await info(of: partition) else { return 0 }
                if consumer.numPending > 0 || consumer.numAckPending > 0 {
                    first = min(first, consumer.ackFloor.streamSeq + 1)
                }
            }
            return first
        }

        /// Removes handled commands from a log that is full: all before the first one that is not handled, and the
        /// oldest ones of each partition, because that one may take long.
        private func makeRoom() async throws {
            let first = try await firstUnhandled()
            try await remove(before: first)
            var left = Self.removals
            for partition in (0..<partitionCount).shuffled() where left > 0 {
                let handled = try await handledPosition(in: partition).sequence
                var next = first
                // One by one: after a purge of one subject, version 2.9 of the server still counts what is gone.
                while left > 0,
                    let message = try await stream.firstMessage(of: subjects.command(partition), from: next),
                    message.seq <= handled
                {
                    _ = try await stream.remove(at: message.seq)
                    next = message.seq + 1
                    left -= 1
                }
            }
        }

        private func remove(before sequence: UInt64) async throws {
            if sequence > 1 { try await stream.purge(.init(seq: sequence)) }
        }

        // MARK: State

        func statistics() async throws -> LogStatistics {
            var statistics = LogStatistics(deadLetters: Int(clamping: try await letters.stream.info().state.messages))
            let consumers = try await withThrowingTaskGroup { group in
                for partition in 0..<partitionCount {
                    group.addTask { (partition, try await self.info(of: partition)) }
                }
                return try await group.reduce(into: [(Int, ConsumerInfo?)]()) { $0.append($1) }
            }
            for case (_, let consumer?) in consumers {
                statistics.waiting.add(clamping: Int(clamping: consumer.numPending))
                statistics.running.add(clamping: consumer.numAckPending)
                statistics.redelivered.add(clamping: consumer.numRedelivered)
            }
            // No node has ever handled commands of these partitions.
            let unused = consumers.filter { $0.1 == nil }.map { subjects.command($0.0) }
            if !unused.isEmpty {
                let counts = try await stream.info(subjects: subjects.allCommands).state.subjects ?? [:]
                for subject in unused { statistics.waiting.add(clamping: counts[subject] ?? 0) }
            }
            return statistics
        }

        private func info(of partition: Int) async throws -> ConsumerInfo? {
            do {
                return try await jetStream.consumer(CommandConsumer.name(of: partition), of: stream.name)
            } catch let error as JetStreamError {
                throw error.transportError
            }
        }
    }

    extension Int {
        /// Adds a number of a server, up to the largest number.
        fileprivate mutating func add(clamping other: Int) {
            let (sum, overflow) = addingReportingOverflow(other)
            self = overflow ? (other < 0 ? .min : .max) : sum
        }
    }

    struct CommandSubjects {
        let name: String
        let partitions: Int

        var allCommands: String { "\(name).command.*" }
        var allDead: String { "\(name).dead.*.*" }

        func command(_ partition: Int) -> String { "\(name).command.\(partition)" }

        func dead(_ position: LogPosition) -> String { "\(name).dead.\(position.partition).\(position.sequence)" }

        func partition(of command: LoggedCommand) -> Int { LoggedCommand.partition(of: command.key, among: partitions) }
    }

    extension CoreMessage {
        init(subject: String, _ command: LoggedCommand) {
            self.init(subject: subject, command.envelope)
            self[header: EngineHeader.key] = command.key
            self[header: EngineHeader.message] = command.message
        }

        /// The command of a message of the log.
        ///
        /// Missing parts are empty, so that an unknown message becomes a dead letter.
        var command: LoggedCommand {
            LoggedCommand(
                id: self[header: EngineHeader.command] ?? self[header: EngineHeader.messageID] ?? "",
                key: self[header: EngineHeader.key] ?? "",
                message: self[header: EngineHeader.message] ?? "",
                envelope: envelope
            )
        }
    }
#endif
