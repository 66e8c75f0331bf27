#if NATS
    import DuetCluster
    import DuetClusterEngine
    import Foundation

    final class NATSDeadLetters: DeadLetters {
        let stream: ManagedStream
        private let commands: ManagedStream
        private let subjects: CommandSubjects
        /// The outcomes of the commands.
        private let refused: CommandNotes

        init(
            _ jetStream: JetStream,
            commands: ManagedStream,
            _ subjects: CommandSubjects,
            refused: CommandNotes,
            name: String,
            options: NATSOptions
        ) {
            self.commands = commands
            self.subjects = subjects
            self.refused = refused
            var configuration = StreamConfiguration(
                name: "\(name)_DEAD",
                subjects: [subjects.allDead],
                storage: "file",
                replicas: options.replicas,
                maxAge: .zero
            )
            configuration.description = "Dead letters of Duet"
            configuration.duplicateWindow = options.duplicateWindow.nanoseconds
            stream = ManagedStream(jetStream, configuration)
        }

        /// Adds the command of a message, once for each position, and keeps an outcome if there is none.
        func add(_ message: CoreMessage, at position: LogPosition, attempts: Int, reason: String) async throws {
            do {
                let id = message.command.id
                if try await refused.note(of: id, at: position) == nil {
                    try await refused.keep(.deadLetter, of: id, at: position)
                }
            } catch TransportError.refused {
                // The server keeps no outcomes.
            }
            var letter = CoreMessage(subject: subjects.dead(position), payload: message.payload)
            letter.headers = message.headers.filter { !$0.key.hasPrefix("Nats-") }
            letter[header: EngineHeader.command] = message.command.id
            letter[header: EngineHeader.attempts] = String(attempts)
            letter[header: EngineHeader.reason] = Self.shorten(reason)
            letter[header: EngineHeader.messageID] = "\(position.sequence)-\(message.command.id)"
            _ = try await stream.publish(letter)
        }

        /// A reason of at most a kilobyte as a header, also if each of its bytes is encoded.
        private static func shorten(_ reason: String) -> String {
            reason.utf8.count <= 340 ? reason : String(decoding: reason.utf8.prefix(340), as: UTF8.self)
        }

        func list(limit: Int) async throws -> [DeadLetter] {
            var letters: [DeadLetter] = []
            var sequence = try await stream.info().state.firstSeq
            while letters.count < limit,
                let stored = try await stream.firstMessage(of: subjects.allDead, from: sequence)
            {
                letters.append(letter(stored))
                sequence = stored.seq + 1
            }
            return letters
        }

        func find(_ position: LogPosition) async throws -> DeadLetter? {
            try await stream.lastMessage(of: subjects.dead(position)).map(letter)
        }

        func find(_ id: String) async throws -> DeadLetter? {
            guard let sequence = UInt64(id) else { return nil }
            return try await stream.message(at: sequence).map(letter)
        }

        func retry(_ id: String, body: Data?) async throws {
            guard let letter = try await find(id) else { throw UnknownDeadLetter(id: id) }
            var command = letter.command
            if let body { command.envelope.body = body }
            var message = CoreMessage(subject: subjects.command(subjects.partition(of: command)), command)
            // The log knows the identifier of the command itself, and would not add it again.
            message[header: EngineHeader.command] = command.id
            message[header: EngineHeader.messageID] = "retry-\(id)-\(command.id)"
            try stream.jetStream.inbox.check(command.envelope, in: message)
            let retry = try await commands.publish(message).seq
            let outcome = try await refused.note(of: command.id, at: letter.position) ?? .deadLetter
            try await refused.keep(outcome, of: command.id, at: letter.position, retry: retry)
            try await drop(id)
        }

        func drop(_ id: String) async throws {
            guard let sequence = UInt64(id), try await stream.remove(at: sequence) else {
                throw UnknownDeadLetter(id: id)
            }
        }

        private func letter(_ stored: StoredMessage) -> DeadLetter {
            let message = stored.message
            return DeadLetter(
                id: String(stored.seq),
                command: message.command,
                position: stored.position,
                attempts: message[header: EngineHeader.attempts].flatMap { Int($0) } ?? 0,
                reason: message[header: EngineHeader.reason] ?? "",
                date: stored.date
            )
        }
    }
#endif
