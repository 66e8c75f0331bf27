package import Duet
import FeedFeature
package import GRDB
import Synchronization
import Tracing

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
        try await withSpan("SQLite read", ofKind: .client) { span in
            let record = span.statementRecorder
            return try await database.connection.read { db in try record(db) { try body(db) } }
        }
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
        try await write { db in
            for change in changes { try change(db) }
        }
    }

    /// Makes the added changes of a command in one transaction, once for each idempotency key of its sender.
    ///
    /// The key is stored in the transaction of the changes, so that both are stored or neither is. A repeat has no
    /// second effect. A command that fails is not stored, because it changed nothing; its repeat is handled again. A
    /// command without a key is not stored either.
    ///
    /// - Throws: `IdempotencyKeyReused` if the key belongs to another command; the error of the first change that
    ///   fails.
    package func commit<C: Command & Encodable>(_ command: C) async throws {
        guard let key = HandledKey.current else { return try await commit() }
        let changes = takeChanges()
        // Before the transaction, because hashing a large image takes time.
        let fingerprint = try CommandFingerprint(of: command)
        try await write { [now] db in
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

    private func write(_ body: @escaping Change) async throws {
        try await withSpan("SQLite transaction", ofKind: .client) { span in
            let record = span.statementRecorder
            try await database.connection.write { db in try record(db) { try body(db) } }
        }
    }
}

/// Runs a closure, and notes the statements that it executes.
private struct StatementRecorder: Sendable {
    let span: (any Span)?

    func callAsFunction<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        guard let span else { return try body() }
        // Statements have placeholders, and GRDB describes them without the values.
        let statements = Statements()
        db.trace { statements.add("\($0)") }
        defer {
            db.trace(options: [])
            span.updateAttributes { $0["db.query.text"] = statements.text }
        }
        return try body()
    }
}

private final class Statements: Sendable {
    private let list = Mutex<[String]>([])

    var text: String { list.withLock { $0.joined(separator: "; ") } }

    func add(_ statement: String) {
        let words = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        list.withLock { $0.append(words) }
    }
}

extension Span {
    /// Describes the operation, and returns a recorder of its statements, which does nothing if nobody needs them.
    fileprivate var statementRecorder: StatementRecorder {
        guard isRecording else { return StatementRecorder(span: nil) }
        updateAttributes { $0["db.system.name"] = "sqlite" }
        return StatementRecorder(span: self)
    }
}
