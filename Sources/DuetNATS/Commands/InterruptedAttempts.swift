#if NATS
    import DuetCluster
    import Foundation

    /// The last attempts that ended with the shutdown of their nodes, and do not count.
    ///
    /// The server counts all deliveries of a command, and a command with too many becomes a dead letter. A stream keeps
    /// the number of those that do not count, by the positions of their commands.
    final class InterruptedAttempts: Sendable {
        private let stream: ManagedStream
        private let subjects: CommandSubjects

        init(_ jetStream: JetStream, _ subjects: CommandSubjects, name: String, options: NATSOptions) {
            self.subjects = subjects
            var configuration = StreamConfiguration(
                name: "\(name)_INTERRUPTED",
                subjects: [subjects.allInterrupted],
                storage: "file",
                replicas: options.replicas,
                maxAge: options.commandRetention
            )
            configuration.description = "Interrupted attempts of Duet"
            configuration.maxMsgsPerSubject = 1
            stream = ManagedStream(jetStream, configuration)
        }

        /// Notes the number of deliveries of a command that do not count.
        ///
        /// - Throws: ``TransportError``.
        func note(_ count: Int, of command: LoggedCommand, at position: LogPosition) async throws {
            var message = CoreMessage(subject: subjects.interrupted(position), payload: Data(String(count).utf8))
            // A log that was deleted and created again has other commands at the same positions.
            message[header: EngineHeader.command] = command.id
            do {
                _ = try await stream.publish(message)
            } catch let error as JetStreamError {
                throw error.transportError
            }
        }

        /// The number of deliveries of a command that do not count.
        ///
        /// - Throws: ``TransportError``.
        func count(of command: LoggedCommand, at position: LogPosition) async throws -> Int {
            guard let message = try await stream.lastMessage(of: subjects.interrupted(position))?.message,
                let id = message[header: EngineHeader.command], id.utf8.elementsEqual(command.id.utf8)
            else { return 0 }
            return Int(String(decoding: message.payload.prefix(20), as: UTF8.self)) ?? 0
        }
    }
#endif
