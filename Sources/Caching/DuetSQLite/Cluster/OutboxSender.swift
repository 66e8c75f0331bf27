#if Cluster
    import DuetCluster
    import DuetClusterEngine
    import Foundation
    import GRDB

    /// Sends the commands of an outbox, one after another.
    struct OutboxSender {
        /// The longest time between two attempts.
        private static let longestPause: Duration = .seconds(5)

        let database: any DatabaseWriter
        let engine: any ClusterEngine
        let clock: any Clock<Duration>
        let onError: @Sendable (any Error) -> Void

        /// Sends the oldest commands.
        ///
        /// - Returns: Whether there were any.
        /// - Throws: `CancellationError`.
        func send() async throws -> Bool {
            let rows = try await repeating { [database] in
                try await database.read { db in
                    let sql = """
                        SELECT sequence, id, key, message, headers, body FROM duet_outbox WHERE failure IS NULL
                        ORDER BY sequence LIMIT 100
                        """
                    return try WrittenCommand.fetchAll(db, sql: sql)
                }
            }
            for row in rows {
                var (sql, arguments): (String, StatementArguments) =
                    ("DELETE FROM duet_outbox WHERE sequence = ?", [row.sequence])
                if let failure = try await fault(sending: row) {
                    onError(failure)
                    sql = "UPDATE duet_outbox SET failure = ? WHERE sequence = ?"
                    arguments = ["\(failure)", row.sequence]
                }
                try await repeating { [database, sql, arguments] in
                    try await database.write { try $0.execute(sql: sql, arguments: arguments) }
                }
            }
            return !rows.isEmpty
        }

        /// Sends a command.
        ///
        /// - Returns: Why it can never be sent; nil if it was.
        /// - Throws: `CancellationError`.
        private func fault(sending row: WrittenCommand) async throws -> (any Error)? {
            do {
                let command = try row.command()
                // What concerns this command would be refused for good, and the rest may be accepted later.
                guard command.envelope.hasValidHeaders else { return InvalidHeaders() }
                try await repeating { [engine] in
                    do {
                        _ = try await engine.commands.append(command)
                    } catch TransportError.tooLarge(let bytes, let limit) {
                        throw Unsendable(reason: TransportError.tooLarge(bytes: bytes, limit: limit))
                    }
                }
                return nil
            } catch let error as Unsendable {
                return error.reason
            } catch let error where error is DecodingError || error is UnreadableCommand {
                return error
            }
        }

        private struct Unsendable: Error { let reason: any Error }

        /// Repeats an operation until it succeeds, and reports its first error.
        ///
        /// - Throws: `Unsendable`; `CancellationError`.
        private func repeating<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
            var pause = Duration.milliseconds(200)
            var isReported = false
            while true {
                do {
                    return try await operation()
                } catch let error where !(error is Unsendable || error is CancellationError) {
                    if !isReported { onError(error) }
                    isReported = true
                    try await clock.sleep(for: pause)
                    pause = min(pause * 2, Self.longestPause)
                }
            }
        }
    }

    /// The error of a command whose headers no cluster carries.
    private struct InvalidHeaders: Error, CustomStringConvertible {
        var description: String { "Its headers are too many or too long. Drop it, and write it again with fewer." }
    }

    private struct WrittenCommand: FetchableRecord {
        let sequence: Int64
        /// The identifier, the key, the message and the headers.
        private let texts: [String]
        private let body: Data?

        init(row: Row) throws {
            sequence = try row.decode(atIndex: 0)
            texts = (1...4).compactMap { String.fromDatabaseValue(row[$0]) }
            body = Data.fromDatabaseValue(row[5])
        }

        func command() throws -> LoggedCommand {
            guard texts.count == 4, let body else { throw UnreadableCommand() }
            let headers = try JSONDecoder().decode([String: String].self, from: Data(texts[3].utf8))
            let envelope = Envelope(headers: headers, body: body)
            return LoggedCommand(id: texts[0], key: texts[1], message: texts[2], envelope: envelope)
        }
    }

    /// The error of a row that another program has written.
    private struct UnreadableCommand: Error, CustomStringConvertible {
        var description: String { "It cannot be read. Drop it, and write it again with the outbox." }
    }
#endif
