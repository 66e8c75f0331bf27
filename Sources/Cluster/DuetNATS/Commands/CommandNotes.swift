#if NATS
    import DuetClusterEngine

    /// A stream that keeps one note about each command that needs one, by the command's position.
    final class CommandNotes: Sendable {
        private let stream: ManagedStream
        private let subject: @Sendable (LogPosition) -> String

        /// - Parameters:
        ///   - kind: A word for the notes, which the names of the stream and of its subjects contain.
        ///   - lifetime: The time for which a note is kept.
        init(_ jetStream: JetStream, _ kind: String, name: String, options: NATSOptions, lifetime: Duration) {
            subject = { "\(name).\(kind).\($0.partition).\($0.sequence)" }
            var configuration = StreamConfiguration(
                name: "\(name)_\(kind.uppercased())",
                subjects: ["\(name).\(kind).*.*"],
                storage: "file",
                replicas: options.replicas,
                maxAge: lifetime
            )
            configuration.description = "Commands of Duet that were \(kind)"
            configuration.maxMsgsPerSubject = 1
            stream = ManagedStream(jetStream, configuration)
        }

        /// Keeps a note, in place of an earlier one.
        ///
        /// - Parameter retry: The sequence of the command after an operator has retried its dead letter.
        /// - Throws: ``TransportError``.
        func keep(_ note: Envelope, of id: String, at position: LogPosition, retry: UInt64? = nil) async throws {
            var message = CoreMessage(subject: subject(position), note)
            // A log that was deleted and created again has other commands at the same positions.
            message[header: EngineHeader.command] = id
            message[header: EngineHeader.retry] = retry.map { "\($0)" }
            _ = try await stream.publish(message)
        }

        /// Returns the note about a command; nil without one.
        ///
        /// - Throws: ``TransportError``.
        func note(of id: String, at position: LogPosition) async throws -> Envelope? {
            try await message(of: id, at: position)?.envelope
        }

        /// Returns the position of the last retry of a command; the given one if there is none.
        ///
        /// - Throws: ``TransportError``.
        func lastRetry(of id: String, after position: LogPosition) async throws -> LogPosition {
            var position = position
            while let text = try await message(of: id, at: position)?[header: EngineHeader.retry],
                let sequence = UInt64(text), sequence > position.sequence
            {
                position = LogPosition(partition: position.partition, sequence: sequence)
            }
            return position
        }

        private func message(of id: String, at position: LogPosition) async throws -> CoreMessage? {
            guard let message = try await stream.lastMessage(of: subject(position))?.message,
                let noted = message[header: EngineHeader.command], noted.utf8.elementsEqual(id.utf8)
            else { return nil }
            return message
        }
    }
#endif
