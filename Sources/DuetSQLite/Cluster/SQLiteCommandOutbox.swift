#if Cluster
    public import Duet
    public import DuetCluster
    import Foundation
    public import GRDB

    /// Commands that are written in the transaction that also changes the state, and then sent to a cluster.
    ///
    /// Either the state has changed and the command will be sent, or neither, also if the process ends at any moment.
    /// The commands are sent in the order in which they were written. The log recognizes one that is sent twice.
    ///
    /// ```swift
    /// let outbox = try SQLiteCommandOutbox(database) { RateTalk.ordered(by: \.id) }
    /// let rating = try outbox.prepare(RateTalk(id: "duet", stars: 5))
    /// try await database.write { db in
    ///     try db.execute(sql: "INSERT INTO talk VALUES ('duet', 0)")
    ///     try outbox.insert(rating, in: db)
    /// }
    /// ```
    public final class SQLiteCommandOutbox: Sendable {
        private let database: any DatabaseWriter
        private let encoding: CommandEncoding

        /// Creates an outbox.
        ///
        /// - Throws: ``/DuetCluster/ClusterError/listedTwice(message:)``.
        public init(
            _ database: any DatabaseWriter,
            @ListBuilder<ClusterMessage> _ messages: () -> [ClusterMessage]
        ) throws {
            self.database = database
            encoding = try CommandEncoding(messages())
        }

        /// Creates the table `duet_outbox`; call it in a migration.
        ///
        /// - Throws: `DatabaseError`.
        public static func createTable(in db: Database) throws {
            try db.execute(
                sql: """
                    CREATE TABLE duet_outbox (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        key TEXT NOT NULL,
                        message TEXT NOT NULL,
                        headers TEXT NOT NULL,
                        body BLOB NOT NULL
                    );
                    """
            )
        }

        /// Encodes a command, with the principal and the trace of the current task.
        ///
        /// Call it before the transaction: closures of the database run in no task.
        ///
        /// - Throws: ``/DuetCluster/ClusterError/notListed(message:)``; `EncodingError`.
        public func prepare<C: Command & Codable>(_ command: C) throws -> LoggedCommand {
            try encoding.encode(command)
        }

        /// Writes a command.
        ///
        /// - Parameters:
        ///   - command: The command as ``prepare(_:)`` has returned it. Each one is written once.
        ///   - db: The connection in the transaction that changes the state.
        /// - Throws: `DatabaseError`, also for a command that was written before.
        public func insert(_ command: LoggedCommand, in db: Database) throws {
            let headers = try JSONEncoder().encode(command.envelope.headers)
            try db.cachedStatement(
                sql: "INSERT INTO duet_outbox (id, key, message, headers, body) VALUES (?, ?, ?, ?, ?)"
            )
            .execute(arguments: [
                command.id, command.key, command.message, String(decoding: headers, as: UTF8.self),
                command.envelope.body,
            ])
        }

        /// Sends the commands to a cluster, as soon as they are written, until the task is canceled.
        ///
        /// - Parameters:
        ///   - engine: The connection to the cluster. While it is lost, the commands wait.
        ///   - clock: Measures the time between attempts.
        /// - Throws: `DatabaseError`; ``/DuetCluster/TransportError`` for a command that the cluster never takes.
        public func run(
            sendingTo engine: any ClusterEngine,
            clock: any Clock<Duration> = ContinuousClock()
        ) async throws {
            let changes = ValueObservation.tracking { db in
                try Int64.fetchOne(db, sql: "SELECT MAX(sequence) FROM duet_outbox")
            }
            for try await last in changes.values(in: database) where last != nil {
                while try await send(to: engine, clock) {}
            }
        }

        /// Sends the oldest commands.
        ///
        /// - Returns: Whether there were any.
        private func send(to engine: any ClusterEngine, _ clock: any Clock<Duration>) async throws -> Bool {
            let rows = try await database.read { db in
                let sql =
                    "SELECT sequence, id, key, message, headers, body FROM duet_outbox ORDER BY sequence LIMIT 100"
                return try WrittenCommand.fetchAll(db, sql: sql)
            }
            for row in rows {
                let command = try row.command()
                try await repeatingTemporaryFailures(clock, delay: { _ in .milliseconds(200) }) {
                    try await engine.commands.append(command)
                }
                try await database.write { db in
                    try db.execute(sql: "DELETE FROM duet_outbox WHERE sequence = ?", arguments: [row.sequence])
                }
            }
            return !rows.isEmpty
        }

    }

    private struct WrittenCommand: FetchableRecord, Sendable {
        let sequence: Int64
        private let id: String
        private let key: String
        private let message: String
        private let headers: String
        private let body: Data

        init(row: Row) throws {
            sequence = try row.decode(atIndex: 0)
            id = try row.decode(atIndex: 1)
            key = try row.decode(atIndex: 2)
            message = try row.decode(atIndex: 3)
            headers = try row.decode(atIndex: 4)
            body = try row.decode(atIndex: 5)
        }

        func command() throws -> LoggedCommand {
            let headers = try JSONDecoder().decode([String: String].self, from: Data(headers.utf8))
            return LoggedCommand(id: id, key: key, message: message, envelope: Envelope(headers: headers, body: body))
        }
    }
#endif
