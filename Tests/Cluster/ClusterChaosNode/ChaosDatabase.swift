#if NATS
    import DuetCluster
    import DuetSQLite
    import Foundation
    import GRDB

    /// The state that all nodes of a machine share, and what tests ask about it.
    package struct ChaosDatabase: Sendable {
        /// One start of a handler.
        package struct Attempt: Sendable {
            package let command: AppendNumber
            /// The identifier of the process that began it.
            package let process: Int32
            /// Whether it was to fail by chance.
            package let isFailing: Bool
            /// Whether the command had its effect before.
            package let isRepeated: Bool
        }

        let pool: DatabasePool
        private let inbox = SQLiteCommandInbox()

        /// Opens a database.
        ///
        /// - Parameter lastStatement: The number of the statement that changes something at which this process kills
        ///   itself; nil for none.
        package init(path: String, lastStatement: Int? = nil) throws {
            var configuration = Configuration()
            configuration.busyMode = .timeout(3_600)
            if let lastStatement {
                configuration.prepareDatabase { database in
                    guard !database.configuration.readonly else { return }
                    var count = 0
                    database.trace { _ in
                        count += 1
                        if count == lastStatement { ClusterChaosNode.killItself() }
                    }
                }
            }
            pool = try DatabasePool(path: path, configuration: configuration)
        }

        /// Creates the tables.
        package func create() throws {
            try pool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE number (sequence INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER, number INTEGER);
                        CREATE INDEX number_key ON number (key);
                        CREATE TABLE attempt (
                            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                            key INTEGER, number INTEGER, fault TEXT, process INTEGER,
                            isFailing INTEGER NOT NULL, isRepeated INTEGER NOT NULL
                        );
                        CREATE INDEX attempt_number ON attempt (key, number);
                        """
                )
                try SQLiteCommandInbox.createTable(in: db)
                try SQLiteCommandOutbox.createTable(in: db)
            }
        }

        // MARK: Handlers

        /// Notes that a handler begins, and returns the number of this attempt and whether it fails by chance.
        func begin(
            _ command: AppendNumber,
            _ id: String?,
            fails: @Sendable (_ attempt: Int) -> Bool
        ) async throws -> (attempt: Int, isFailing: Bool) {
            try await pool.write { db in
                let (key, number) = (command.key, command.number)
                let count =
                    try Int.fetchOne(
                        db.cachedStatement(sql: "SELECT COUNT(*) FROM attempt WHERE key = ? AND number = ?"),
                        arguments: [key, number]
                    ) ?? 0
                let isRepeated = try Bool.fetchOne(
                    db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM duet_inbox WHERE id = ?)"),
                    arguments: [id]
                )
                let isFailing = fails(count + 1)
                try db.cachedStatement(
                    sql: """
                        INSERT INTO attempt (key, number, fault, process, isFailing, isRepeated)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """
                )
                .execute(arguments: [key, number, command.fault.rawValue, getpid(), isFailing, isRepeated])
                return (count + 1, isFailing)
            }
        }

        /// Appends a number unless the command has had its effect.
        ///
        /// - Parameter body: Called at the end of the transaction.
        func append(_ command: AppendNumber, _ id: String?, body: @Sendable () throws -> Void) async throws {
            try await pool.write { db in
                if try inbox.claim(id, in: db) {
                    try db.cachedStatement(sql: "INSERT INTO number (key, number) VALUES (?, ?)")
                        .execute(arguments: [command.key, command.number])
                }
                try body()
            }
        }

        /// Writes the number of a command that is inserted into the outbox in the same transaction.
        func write(_ command: AppendNumber, to outbox: SQLiteCommandOutbox, body: @Sendable () throws -> Void)
            async throws
        {
            let prepared = try outbox.prepare(command)
            try await pool.write { db in
                try db.execute(
                    sql: "INSERT INTO number (key, number) VALUES (?, ?)",
                    arguments: [command.key, command.number]
                )
                try outbox.insert(prepared, in: db)
                try body()
            }
        }

        // MARK: Results

        /// Returns how many numbers a key has.
        package func count(of key: Int) async throws -> Int {
            try await pool.read { db in
                try Int.fetchOne(
                    db.cachedStatement(sql: "SELECT COUNT(*) FROM number WHERE key = ?"),
                    arguments: [key]
                ) ?? 0
            }
        }

        /// Returns how many numbers there are.
        package var count: Int {
            get async throws {
                try await pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM number") ?? 0 }
            }
        }

        /// Returns how many commands wait in the outbox.
        package var unsentCount: Int {
            get async throws {
                try await pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM duet_outbox") ?? 0 }
            }
        }

        /// Returns the numbers of each key, in the order in which they were appended.
        package var numbers: [Int: [Int]] {
            get async throws {
                try await pool.read { db in
                    try Row.fetchAll(db, sql: "SELECT key, number FROM number ORDER BY sequence")
                        .reduce(into: [:]) { $0[$1["key"], default: []].append($1["number"]) }
                }
            }
        }

        /// Returns the attempts in order, of commands with a fault only or of all.
        package func attempts(withFault: Bool = false) async throws -> [Attempt] {
            try await pool.read { db in
                let condition = withFault ? "WHERE fault <> 'none'" : ""
                return try Row.fetchAll(db, sql: "SELECT * FROM attempt \(condition) ORDER BY sequence")
                    .map { row in
                        let fault = AppendNumber.Fault(rawValue: row["fault"]) ?? .none
                        return Attempt(
                            command: AppendNumber(key: row["key"], number: row["number"], fault: fault),
                            process: row["process"],
                            isFailing: row["isFailing"],
                            isRepeated: row["isRepeated"]
                        )
                    }
            }
        }
    }
#endif
