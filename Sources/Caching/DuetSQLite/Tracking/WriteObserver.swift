import Duet
import GRDB
import Synchronization

/// Tells caches what each commit has written.
final class WriteObserver: TransactionObserver, Sendable {
    private struct State {
        /// The tracked access that uses the connection; nil for others.
        var access: TrackedAccess?
        var narrows = false
        /// What the statements of the transaction may do to each table.
        var statements: [String: Changes] = [:]
        /// What has happened to each table.
        var events: [String: Changes] = [:]
        var eventCount = 0
        /// Whether somebody has announced changes without saying which.
        var isUnknown = false
        /// The changes of the connection before the transaction.
        var changesCount = 0
        var schemaVersion: Int64 = 0
    }

    /// The changes of one table.
    private struct Changes {
        var rows = false
        var columns: Set<String> = []
    }

    private let tracker: DataTracker
    private let schemas: Schemas
    private let state = Mutex(State())

    init(_ tracker: DataTracker, _ schemas: Schemas) {
        self.tracker = tracker
        self.schemas = schemas
    }

    func begin(in db: Database) throws {
        db.add(transactionObserver: self)
        let version = try Self.schemaVersion(of: db)
        state.withLock { state in
            state.changesCount = db.totalChangesCount
            state.schemaVersion = version
        }
    }

    /// Runs an access, to which the commits in it belong.
    func observing<Value>(_ access: TrackedAccess, narrows: Bool, _ body: () throws -> Value) rethrows -> Value {
        let outer = exchange((access, narrows))
        defer { _ = exchange(outer) }
        return try body()
    }

    private func exchange(_ access: (TrackedAccess?, Bool)) -> (TrackedAccess?, Bool) {
        state.withLock { state in
            defer { (state.access, state.narrows) = access }
            return (state.access, state.narrows)
        }
    }

    /// Makes everything stale, because another connection has written something.
    func noteForeignWrite() {
        schemas.change()
        tracker.noteCommit([tracker.everything, tracker.anything], by: nil)
    }

    private static func schemaVersion(of db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version")) ?? 0
    }

    // MARK: Changes

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        state.withLock { state in
            switch kind {
            case .insert(let table), .delete(let table): state.statements[table, default: Changes()].rows = true
            case .update(let table, let columns):
                state.statements[table, default: Changes()].columns.formUnion(columns)
            }
        }
        return true
    }

    func databaseDidChange() { state.withLock { $0.isUnknown = true } }

    func databaseDidChange(with event: DatabaseEvent) {
        let table = event.tableName
        state.withLock { state in
            state.eventCount += 1
            if event.kind != .update {
                state.events[table, default: Changes()].rows = true
            } else if state.events[table] == nil {
                state.events[table] = Changes()
            }
        }
    }

    func databaseDidRollback(_ db: Database) {
        let (state, owner, _) = take(db)
        // What the task has read may never have been committed.
        owner?.noteWrite(names(of: state.statements, state.events, in: db))
    }

    func databaseDidCommit(_ db: Database) {
        let (state, owner, access) = take(db)
        if state.statements.keys.contains("sqlite_temp_master") { schemas.noteOwn(db) }
        let version = try? Self.schemaVersion(of: db)
        let isSame = version == state.schemaVersion
        if !isSame {
            self.state.withLock { $0.schemaVersion = version ?? -1 }
            schemas.change()
        }
        let names =
            !isSame || state.isUnknown || isRaw(state, db)
            ? [tracker.everything, tracker.anything] : names(of: state.statements, state.events, in: db)
        guard !names.isEmpty else { return }
        access?.noteCommit()
        tracker.noteCommit(names, by: owner, narrows: access != nil && state.narrows)
    }

    /// Takes what has happened in the transaction.
    private func take(_ db: Database) -> (State, owner: DataUse?, TrackedAccess?) {
        state.withLock { state in
            let taken = state
            state.statements = [:]
            state.events = [:]
            state.eventCount = 0
            state.isUnknown = false
            state.changesCount = db.totalChangesCount
            return (taken, taken.access.map { $0.owner.use } ?? DataUse.current, taken.access)
        }
    }

    /// Whether rows have changed without an event, by a function of SQLite or in a savepoint that was rolled back.
    private func isRaw(_ state: State, _ db: Database) -> Bool {
        guard db.totalChangesCount - state.changesCount > state.eventCount else { return false }
        return !state.statements.keys.contains { schemas.table($0, in: db)?.hasEvents == false }
    }

    private func names(
        of statements: [String: Changes],
        _ events: [String: Changes],
        in db: Database
    ) -> Set<DataName> {
        var names: Set<DataName> = []
        for (name, statements) in statements where !name.hasPrefix("duet_") {
            guard let table = schemas.table(name, in: db) else { return [tracker.everything, tracker.anything] }
            var changes = statements
            if table.hasEvents {
                guard let events = events[name] else { continue }
                changes = Changes(rows: events.rows, columns: events.rows ? [] : statements.columns)
            }
            // A row that REPLACE deletes for a row with the same key is not reported.
            if changes.columns.contains("ROWID") || !changes.columns.isDisjoint(with: table.uniqueColumns) {
                changes.rows = true
            }
            for column in statements.columns { names.insert(DataName(tracker, name, .column(column))) }
            if changes.rows || statements.columns.isEmpty { names.insert(DataName(tracker, name, .rows)) }
            names.insert(DataName(tracker, name, .whole))
        }
        return names.isEmpty ? [] : names.union([tracker.anything])
    }
}
