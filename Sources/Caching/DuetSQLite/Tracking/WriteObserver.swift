import Duet
import GRDB
import Synchronization

/// Tells caches what each commit has written.
final class WriteObserver: TransactionObserver, Sendable {
    private struct State {
        /// The tracked access that uses the connection; nil for others.
        var access: TrackedAccess?
        var narrows = false
        /// The possible changes of each table by the statements of the transaction.
        var statements: [String: Changes] = [:]
        /// The real ones.
        var events: [String: Changes] = [:]
        var eventCount = 0
        /// Whether tables of the connection itself may have changed.
        var isOwn = false
        /// Whether somebody has announced changes without saying which.
        var isUnknown = false
        /// The changes of the connection before the transaction.
        var changesCount = 0
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

    func begin(in db: Database) {
        db.add(transactionObserver: self)
        state.withLock { $0.changesCount = db.totalChangesCount }
    }

    /// Runs an access, to which the commits in it belong.
    func observing<Value>(
        _ access: TrackedAccess,
        narrows: Bool,
        in db: Database,
        _ body: () throws -> Value
    ) rethrows -> Value {
        noteRest(in: db, by: .unknown)
        let outer = exchange((access, narrows))
        defer {
            noteRest(in: db, by: access.owner)
            _ = exchange(outer)
        }
        return try body()
    }

    /// Notes what has been written outside of a transaction, or rolled back, without a report.
    func noteRest(in db: Database, by owner: DataOwner) {
        guard db.isOpen, !db.isInsideTransaction else { return }
        let (changes, isEmpty) = state.withLock { ($0.changesCount, $0.statements.isEmpty) }
        if changes != db.totalChangesCount {
            noteCommit(in: db, by: owner)
        } else if !isEmpty {
            noteRollback(in: db, by: owner)
        }
    }

    private func exchange(_ access: (TrackedAccess?, Bool)) -> (TrackedAccess?, Bool) {
        state.withLock { state in
            defer { (state.access, state.narrows) = access }
            return (state.access, state.narrows)
        }
    }

    /// Makes everything stale, because another connection has written something.
    func noteForeignWrite(_ db: Database) {
        schemas.change(to: Schema.version(of: db))
        tracker.noteCommit([tracker.everything, tracker.anything], by: .nobody)
    }

    // MARK: Changes

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        state.withLock { state in
            switch kind {
            // Statements seem to change the schema that do not, so only its version counts.
            case .insert("sqlite_master"), .update("sqlite_master", _): break
            case .insert("sqlite_temp_master"), .update("sqlite_temp_master", _): state.isOwn = true
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

    func databaseDidRollback(_ db: Database) { noteRollback(in: db, by: owner) }

    func databaseDidCommit(_ db: Database) { noteCommit(in: db, by: owner) }

    /// The work that uses the connection.
    private var owner: DataOwner { state.withLock(\.access)?.owner ?? .current }

    private func noteRollback(in db: Database, by owner: DataOwner) {
        let state = take(db)
        // The task may have read rows that were never committed.
        owner.use?.noteWrite(names(of: state.statements, nil, in: db))
    }

    private func noteCommit(in db: Database, by owner: DataOwner) {
        let state = take(db)
        if state.isOwn { schemas.noteOwn(db) }
        let hasChangedSchema = schemas.update(to: Schema.version(of: db))
        let isUnknown = hasChangedSchema || state.isUnknown || isRaw(state, db)
        let names =
            isUnknown
            ? [tracker.everything, tracker.anything] : names(of: state.statements, state.events, in: db)
        guard !names.isEmpty else { return }
        let narrows = state.narrows && !names.contains(tracker.everything)
        if narrows { state.access?.noteCommit() }
        tracker.noteCommit(names, by: owner, narrows: narrows)
    }

    /// Takes the changes of the transaction.
    private func take(_ db: Database) -> State {
        state.withLock { state in
            defer { state = State(access: state.access, narrows: state.narrows, changesCount: db.totalChangesCount) }
            return state
        }
    }

    /// Whether rows have changed without an event, by a function of SQLite or in a savepoint that was rolled back.
    private func isRaw(_ state: State, _ db: Database) -> Bool {
        guard db.totalChangesCount - state.changesCount > state.eventCount else { return false }
        return !state.statements.keys.contains { schemas.table($0, in: db)?.hasEvents == false }
    }

    /// - Parameter events: The real changes; nil if they are not known.
    private func names(
        of statements: [String: Changes],
        _ events: [String: Changes]?,
        in db: Database
    ) -> Set<DataName> {
        var names: Set<DataName> = []
        for name in Set(statements.keys).union((events ?? [:]).keys) where !name.hasPrefix("duet_") {
            guard let table = schemas.table(name, in: db) else { return [tracker.everything, tracker.anything] }
            var changes = statements[name] ?? Changes(rows: true)
            if table.hasEvents, let events {
                guard let events = events[name] else { continue }
                changes.rows = events.rows || statements[name]?.columns.isEmpty != false
            }
            // A row that REPLACE deletes for a row with the same key is not reported.
            if changes.columns.contains("ROWID") || !changes.columns.isDisjoint(with: table.uniqueColumns) {
                changes.rows = true
            }
            for column in changes.columns { names.insert(DataName(tracker, name, .column(column))) }
            if changes.rows { names.insert(DataName(tracker, name, .rows)) }
            names.insert(DataName(tracker, name, .whole))
        }
        return names.isEmpty ? [] : names.union([tracker.anything])
    }
}
