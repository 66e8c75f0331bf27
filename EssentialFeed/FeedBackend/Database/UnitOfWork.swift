package import Duet
import DuetSQLite
import FeedFeature
package import GRDB
import Synchronization

/// The database session of one dispatch: its reads, and its changes, which are made together or not at all.
///
/// The container creates one for each scope, so everything that handles a message shares it. Changes that are not
/// committed disappear with the scope.
package final class UnitOfWork: Sendable {
    package typealias Change = @Sendable (_ db: Database) throws -> Void

    private let database: FeedDatabase
    private let now: CurrentDate
    private let changes = Mutex<[Change]>([])

    init(_ database: FeedDatabase, now: CurrentDate) {
        self.database = database
        self.now = now
    }

    /// Reads from one state of the database, without the changes that are not committed.
    ///
    /// - Throws: The error of `body`; the database's own error.
    package func read<Value: Sendable>(_ body: @escaping @Sendable (_ db: Database) throws -> Value) async throws
        -> Value
    {
        try await database.connection.read(body)
    }

    /// Adds a change, which is made after those that were added before.
    ///
    /// Changes are closures, because a transaction cannot be open while a handler awaits something.
    package func add(_ change: @escaping Change) {
        changes.withLock { $0.append(change) }
    }

    /// Makes the added changes in one transaction.
    ///
    /// - Throws: The error of the first change that fails, after which nothing has changed.
    package func commit() async throws {
        let changes = takeChanges()
        try await database.connection.write { db in
            for change in changes { try change(db) }
        }
    }

    /// Makes the added changes of a command in one transaction, once for each idempotency key of its sender.
    ///
    /// The key of a command that fails is not stored, so its repeat is handled again.
    ///
    /// - Throws: `IdempotencyKeyReused` if the key belongs to another command; the error of the first change that
    ///   fails.
    package func commit<C: Command & Encodable>(_ command: C) async throws {
        guard let key = HandledKey.current else { return try await commit() }
        let changes = takeChanges()
        // Before the transaction, because hashing a large image takes time.
        let fingerprint = try CommandFingerprint(of: command)
        try await database.connection.write { [now] db in
            try db.once(key, fingerprint, now: now()) { db in
                for change in changes { try change(db) }
            }
        }
    }

    private func takeChanges() -> [Change] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}
