public import Duet
public import Foundation
public import GRDB

/// Gives each command one effect, although it may be sent again, by the table `duet_inbox` of a database.
///
/// A handler claims its command in the transaction that changes its state, so that both happen or neither does. It
/// does not claim a command that changes nothing: each repeat may have another key, and all of them would be stored. In
/// a database without GRDB, insert the identifier into a table whose key it is.
///
/// ```swift
/// func handle(_ command: RateTalk) async throws {
///     let id = IdempotencyKey.current(for: RateTalk.self)
///     try await database.write { db in
///         guard try inbox.claim(id, in: db) else { return }
///         try db.execute(
///             sql: "UPDATE talk SET stars = stars + ? WHERE id = ?",
///             arguments: [command.stars, command.id]
///         )
/// ```
public struct SQLiteCommandInbox: Sendable {
    private let lifetime: TimeInterval
    private let now: @Sendable () -> Date

    /// Creates an inbox.
    ///
    /// - Parameters:
    ///   - lifetime: The number of seconds for which identifiers are kept, by default 30 days. A command that is
    ///     repeated later has another effect.
    ///   - now: Returns the current date.
    public init(lifetime: TimeInterval = 30 * 24 * 60 * 60, now: @escaping @Sendable () -> Date = { Date() }) {
        self.lifetime = lifetime
        self.now = now
    }

    /// Creates the table; call it in a migration.
    ///
    /// - Throws: `DatabaseError`.
    public static func createTable(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE duet_inbox (id TEXT PRIMARY KEY, claimed_at REAL NOT NULL, answer BLOB) WITHOUT ROWID;
                CREATE INDEX duet_inbox_claimed ON duet_inbox (claimed_at);
                """
        )
    }

    /// Stores an identifier, and returns whether it is new; true for a command without one.
    ///
    /// - Parameters:
    ///   - id: `IdempotencyKey.current(for:)`, read before the transaction begins; nil for a command that was
    ///     dispatched in this process without a key.
    ///   - db: The transaction that changes the state.
    /// - Throws: `DatabaseError`.
    public func claim(_ id: String?, in db: Database) throws -> Bool {
        guard let id else { return true }
        let seconds = now().timeIntervalSince1970
        try db.cachedStatement(sql: "DELETE FROM duet_inbox WHERE claimed_at < ?")
            .execute(arguments: [seconds - lifetime])
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO duet_inbox (id, claimed_at) VALUES (?, ?)")
            .execute(arguments: [id, seconds])
        return db.changesCount > 0
    }

    /// Carries out a command once, and returns the query that answers it, also for each repeat.
    ///
    /// ```swift
    /// func handle(_ command: AddTalk) async throws -> LoadTalk {
    ///     let id = IdempotencyKey.current(for: AddTalk.self)
    ///     return try await database.write { db in
    ///         try inbox.answer(id, in: db) {
    ///             try db.execute(sql: "INSERT INTO talk (title) VALUES (?)", arguments: [command.title])
    ///             return LoadTalk(id: db.lastInsertedRowID)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: As of ``claim(_:in:)``.
    ///   - db: The transaction that changes the state.
    ///   - change: Changes the state, and returns the query.
    /// - Throws: The error of `change`; `DatabaseError`; `DecodingError` if the identifier was claimed without a query,
    ///   or if the type of the query has changed since.
    public func answer<Q: PayloadQuery>(_ id: String?, in db: Database, _ change: () throws -> Q) throws -> Q {
        guard let id else { return try change() }
        guard try claim(id, in: db) else {
            let sql = "SELECT answer FROM duet_inbox WHERE id = ?"
            return try JSONDecoder().decode(Q.self, from: Data.fetchOne(db, sql: sql, arguments: [id]) ?? Data())
        }
        let query = try change()
        try db.cachedStatement(sql: "UPDATE duet_inbox SET answer = ? WHERE id = ?")
            .execute(arguments: [JSONEncoder().encode(query), id])
        return query
    }
}
