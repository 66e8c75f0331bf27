import Duet
import GRDB
import Synchronization

/// One access to a tracked database, whose statements are traced.
final class TrackedAccess: Sendable {
    typealias Trace = @Sendable (Database.TraceEvent) -> Void

    /// The work for which the access began.
    let owner = DataOwner.current
    private let tracker: DataTracker
    private let schemas: Schemas
    private let trace: Trace?
    private let statements = Mutex<[String]>([])
    private let committed = Atomic(false)

    /// The statement that shows that nobody has replaced the trace.
    private static let canary = "SELECT 'duet'"

    init(_ tracker: DataTracker, _ schemas: Schemas, _ trace: Trace?) {
        self.tracker = tracker
        self.schemas = schemas
        self.trace = trace
    }

    func run<Value>(in db: Database, _ body: (Database) throws -> Value) throws -> Value {
        guard isCharged, db.isOpen else { return try body(db) }
        let schema = schemas.current(of: db)
        owner.use?.beginRead()
        // Only the text: another statement within the callback would disturb this one.
        db.trace { [self] event in
            if case .statement(let statement) = event { statements.withLock { $0.append(statement.sql) } }
            trace?(event)
        }
        defer {
            let read = read(in: db, schema)
            db.trace(trace)
            tracker.noteRead(read.names, door: read.door, by: owner)
        }
        return try body(db)
    }

    /// Whether somebody has to know what is read.
    private var isCharged: Bool {
        switch owner {
        case .use(let use): use.isLoad
        case .nobody: false
        case .unknown: DataUse.runsLoads
        }
    }

    func noteCommit() { committed.store(true, ordering: .releasing) }

    /// Lets the rules of the command say what it has changed, if it has committed anything.
    func endNarrowing() {
        if committed.load(ordering: .acquiring), let use = owner.use { tracker.endNarrowing(by: use) }
    }

    func transaction<Value>(in db: Database, _ body: (Database) throws -> Value) throws -> Value {
        var value: Value?
        try db.inTransaction {
            value = try run(in: db, body)
            return .commit
        }
        guard let value else { throw DatabaseError(message: "A transaction was ended by its own body.") }
        return value
    }

    /// The reads of all statements.
    private func read(in db: Database, _ schema: Schema) -> StatementRead {
        _ = try? Int.fetchOne(db.cachedStatement(sql: Self.canary))
        let statements = statements.withLock(\.self)
        guard statements.last == Self.canary else {
            return StatementRead(names: [tracker.anything, tracker.everything])
        }
        return statements.dropLast().reduce(into: StatementRead(names: [tracker.everything])) { read, sql in
            let next = schema.read(of: sql, in: db, tracker)
            if next.isDefinition { schemas.noteOwn(db) }
            read.formUnion(next)
        }
    }
}

extension Database {
    var isOpen: Bool { unsafe sqliteConnection != nil }
}

/// What statements read.
struct StatementRead {
    var names: Set<DataName> = []
    /// What about it nobody can track; nil for nothing.
    var door: String?
    /// Whether the connection may have its own tables afterward.
    var isDefinition = false

    mutating func formUnion(_ other: StatementRead) {
        names.formUnion(other.names)
        door = door ?? other.door
    }
}
