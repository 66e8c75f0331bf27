#if Cluster
    public import Duet
    public import DuetCluster
    public import DuetClusterEngine
    import Foundation
    public import GRDB

    /// Commands that are written in the transaction that also changes the state, and then sent to a cluster.
    ///
    /// Either the state has changed and the command will be sent, or neither, also if the process ends at any moment.
    /// The commands are sent in the order in which they were written. The log recognizes one that is sent twice, so
    /// that several processes may write and send commands of one database. A command that can never be sent is set
    /// aside, and does not delay the others; see ``setAside(in:limit:)``.
    ///
    /// ```swift
    /// let outbox = try SQLiteCommandOutbox(talks, in: database)
    /// let rating = try outbox.prepare(RateTalk(id: "duet", stars: 5))
    /// try await database.write { db in
    ///     try db.execute(sql: "INSERT INTO talk VALUES ('duet', 0)")
    ///     try outbox.insert(rating, in: db)
    /// }
    /// ```
    public final class SQLiteCommandOutbox: Sendable {
        private let database: any DatabaseWriter
        private let messages: MessageList

        /// Creates an outbox for the commands of a list.
        ///
        /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
        public init(_ messages: MessageAPI, in database: any DatabaseWriter) throws(InvalidMessageAPI) {
            self.messages = try MessageList(messages)
            self.database = database
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
                        body BLOB NOT NULL,
                        failure TEXT
                    );
                    CREATE INDEX duet_outbox_failed ON duet_outbox (sequence) WHERE failure IS NOT NULL;
                    """
            )
        }

        /// Encodes a command, with the principal and the trace of the current task.
        ///
        /// Call it before the transaction: closures of the database run in no task.
        ///
        /// - Throws: ``/Duet/MessageAPIError``; `EncodingError`.
        public func prepare<C: Command & Codable>(_ command: C) throws -> LoggedCommand {
            try messages.logged(command)
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

        // MARK: Sending

        /// Sends the commands to a cluster, as soon as they are written, until the task is canceled.
        ///
        /// It waits while the cluster cannot be reached, or refuses commands because its log is full. A command that
        /// can never be sent is set aside with its reason, and the next one is sent.
        ///
        /// - Parameters:
        ///   - engine: The connection to the cluster.
        ///   - interval: The time after which it looks for commands that another process, or another connection of this
        ///     one, has written.
        ///   - clock: Measures the time between attempts.
        ///   - onError: Is called for each command that is set aside, and when the cluster or the database begins to
        ///     refuse.
        /// - Throws: `DatabaseError` if the table is missing.
        public func run(
            sendingTo engine: any ClusterEngine,
            every interval: Duration = .seconds(2),
            clock: any Clock<Duration> = ContinuousClock(),
            onError: @escaping @Sendable (any Error) -> Void = { _ in }
        ) async throws {
            _ = try await database.read { db in try setAside(in: db, limit: 1) }
            let sender = OutboxSender(database: database, engine: engine, clock: clock, onError: onError)
            let changes = ValueObservation.tracking { db in
                try Int64.fetchOne(db, sql: "SELECT MAX(sequence) FROM duet_outbox")
            }
            let isAwake = Monitor(true)
            try await withThrowingTaskGroup { [database] group in
                group.addTask {
                    for try await _ in changes.values(in: database) { isAwake.update { $0 = true } }
                }
                group.addTask {
                    while true {
                        try await clock.sleep(for: interval)
                        isAwake.update { $0 = true }
                    }
                }
                group.addTask {
                    while true {
                        try await isAwake.wait { isAwake -> Void? in
                            defer { isAwake = false }
                            return isAwake ? () : nil
                        }
                        while try await sender.send() {}
                    }
                }
                try await group.waitForAll()
            }
        }

        // MARK: Commands that cannot be sent

        /// The identifier, in hexadecimal if another program has written bytes.
        private static let textOfID = "CASE typeof(id) WHEN 'text' THEN id ELSE hex(id) END"

        /// Returns the commands that can never be sent as they are, the oldest first.
        ///
        /// - Parameters:
        ///   - db: A connection.
        ///   - limit: The largest number of them.
        /// - Throws: `DatabaseError`.
        public func setAside(in db: Database, limit: Int = 1_000) throws -> [SetAsideCommand] {
            let sql = """
                SELECT \(Self.textOfID), CAST(message AS TEXT), CAST(failure AS TEXT) FROM duet_outbox
                WHERE failure IS NOT NULL ORDER BY sequence LIMIT ?
                """
            return try Row.fetchAll(db, sql: sql, arguments: [limit]).map { row in
                SetAsideCommand(
                    id: try row.decode(atIndex: 0),
                    message: try row.decode(atIndex: 1),
                    reason: try row.decode(atIndex: 2)
                )
            }
        }

        /// Has a command that was set aside sent again, in its old place.
        ///
        /// - Throws: `DatabaseError`.
        public func retry(_ id: SetAsideCommand.ID, in db: Database) throws {
            try db.execute(sql: "UPDATE duet_outbox SET failure = NULL WHERE \(Self.textOfID) = ?", arguments: [id])
        }

        /// Removes a command that was set aside.
        ///
        /// - Throws: `DatabaseError`.
        public func drop(_ id: SetAsideCommand.ID, in db: Database) throws {
            let sql = "DELETE FROM duet_outbox WHERE \(Self.textOfID) = ? AND failure IS NOT NULL"
            try db.execute(sql: sql, arguments: [id])
        }
    }

    /// A command of an outbox that can never be sent as it is, for example because it is too large.
    public struct SetAsideCommand: Hashable, Sendable, Identifiable {
        /// Identifies the command.
        public let id: String

        /// The name of the message.
        public let message: String

        /// Why it cannot be sent.
        public let reason: String
    }
#endif
