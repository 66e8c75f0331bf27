import Duet
import GRDB
import Synchronization

/// The schema of a tracked database, as long as it does not change.
final class Schemas: Sendable {
    private struct State {
        var current = Schema()
        /// Connections with their own tables or databases, whose statements may mean something else.
        var strange: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())

    /// The schema at the beginning of an access; a new one for a connection with tables of its own.
    func current(of db: Database) -> Schema {
        state.withLock { $0.strange.contains(ObjectIdentifier(db)) ? Schema() : $0.current }
    }

    func change() { state.withLock { $0.current = Schema() } }

    /// Notes that a connection may have tables of its own.
    func noteStrange(_ db: Database) { _ = state.withLock { $0.strange.insert(ObjectIdentifier(db)) } }

    func table(_ name: String, in db: Database) -> Table? { state.withLock(\.current).tables(in: db)?.named[name] }
}

/// A table of a tracked database.
struct Table: Sendable {
    let name: String
    var columns: [String] = []
    var hasGeneratedColumns = false
    /// The columns whose change may replace another row.
    var uniqueColumns: Set<String> = []
    /// Whether SQLite reports the changes of each row.
    let hasEvents: Bool
    /// Whether a read of it names what it reads: neither a view, whose tables are named, nor a table of functions.
    let isNamed: Bool
    /// Whether it may read other tables than its own.
    let isOpaque: Bool
    /// The definition of a view.
    var view: String?
}

final class Schema: Sendable {
    struct Tables: Sendable {
        var named: [String: Table] = [:]
        /// The functions whose result depends on more than their arguments.
        var functions: Set<String> = []
        var door: String?
    }

    /// Tables without a table, which depend on their arguments.
    private static let functionTables = ["json_each", "json_tree"]
    /// What changes only with the schema.
    private static let masterTables = ["sqlite_master", "sqlite_temp_master"]

    private let state = Mutex((tables: Tables?.none, reads: [String: StatementRead]()))

    /// The tables, or nil if they cannot be read.
    func tables(in db: Database) -> Tables? {
        if let known = state.withLock(\.tables) { return known }
        guard let tables = try? Self.load(from: db) else { return nil }
        state.withLock { $0.tables = tables }
        return tables
    }

    private static func load(from db: Database) throws -> Tables {
        var tables = Tables()
        let attached = try String.fetchAll(
            db,
            sql: "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')"
        )
        if !attached.isEmpty { tables.door = "an attached database" }
        tables.functions = StatementText.functions.union(
            try String.fetchAll(db, sql: "SELECT name FROM pragma_function_list WHERE NOT builtin AND NOT flags & 0x800")
                .map { $0.lowercased() }
        )
        for row in try Row.fetchAll(db, sql: "SELECT schema, name, type, wr FROM pragma_table_list") {
            let (schema, name, type): (String, String, String) = (row[0], row[1], row[2])
            var table = Table(
                name: name,
                hasEvents: type == "table" && !(row[3] as Bool),
                isNamed: type != "view",
                isOpaque: name.hasPrefix("sqlite_") || type == "virtual" || type == "shadow"
            )
            try table.loadColumns(schema, from: db)
            if type == "view" {
                table.view = try String.fetchOne(
                    db,
                    sql: "SELECT sql FROM \(schema.quotedDatabaseIdentifier).sqlite_master WHERE name = ?",
                    arguments: [name]
                )
            }
            // A table of the connection hides one of the file, whose names are those of both.
            tables.named[name] = tables.named[name].map { table.union($0) } ?? table
        }
        for name in functionTables + masterTables {
            var table = Table(name: name, hasEvents: false, isNamed: false, isOpaque: false)
            try table.loadColumns("main", from: db)
            tables.named[name] = table
        }
        return tables
    }

    // MARK: Reading

    func read(of sql: String, in db: Database, _ tracker: DataTracker) -> StatementRead {
        if let known = state.withLock({ $0.reads[sql] }) { return known }
        guard let tables = tables(in: db) else { return StatementRead(names: [tracker.anything]) }
        let text = StatementText(sql, views: tables.named)
        guard !text.isDefinition, let statement = try? db.makeStatement(sql: sql) else {
            return StatementRead(names: [tracker.anything], isDefinition: text.isDefinition)
        }
        let names = tables.names(of: statement.databaseRegion, in: db, tracker) ?? [tracker.anything]
        let read = StatementRead(names: names, door: tables.door ?? text.door(tables.functions))
        state.withLock { $0.reads[sql] = $0.reads.count < 4_096 ? read : nil }
        return read
    }
}

extension Schema.Tables {
    /// The names of a region; nil for one with unknown tables.
    fileprivate func names(of region: DatabaseRegion, in db: Database, _ tracker: DataTracker) -> Set<DataName>? {
        guard !region.isFullDatabase else { return nil }
        var names: Set<DataName> = []
        var known = DatabaseRegion()
        for (name, table) in named where region.isModified(byEventsOfKind: .insert(tableName: name)) {
            let isWhole = region.isModified(byEventsOfKind: .update(tableName: name, columnNames: [""]))
            let columns = (table.columns + ["ROWID"]).filter {
                region.isModified(byEventsOfKind: .update(tableName: name, columnNames: [$0]))
            }
            let list = isWhole ? "COUNT(*)" : columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
            let sql = "SELECT \(list) FROM \(name.quotedDatabaseIdentifier)"
            guard let statement = try? db.makeStatement(sql: sql) else { return nil }
            known.formUnion(statement.databaseRegion)
            guard table.isNamed, !name.hasPrefix("duet_") else { continue }
            if table.isOpaque { return nil }
            guard !isWhole, !table.hasGeneratedColumns else {
                names.insert(DataName(tracker, name, .whole))
                continue
            }
            for column in columns { names.insert(DataName(tracker, name, .column(column))) }
            names.insert(DataName(tracker, name, .rows))
        }
        return known == region ? names : nil
    }
}

extension Table {
    fileprivate mutating func loadColumns(_ schema: String, from db: Database) throws {
        let columns = try Row.fetchAll(
            db,
            sql: "SELECT name, hidden, pk FROM pragma_table_xinfo(?, ?)",
            arguments: [name, schema]
        )
        self.columns = columns.map { $0[0] }
        hasGeneratedColumns = columns.contains { ($0[1] as Int) >= 2 }
        let indexed = try String?.fetchAll(
            db,
            sql: """
                SELECT part.name FROM pragma_index_list(?, ?) AS list, pragma_index_info(list.name, ?) AS part
                WHERE list."unique"
                """,
            arguments: [name, schema, schema]
        )
        uniqueColumns = Set(indexed.compactMap(\.self) + columns.filter { ($0[2] as Int) > 0 }.map { $0[0] })
        // An index of an expression concerns any column.
        if indexed.contains(nil) { uniqueColumns.formUnion(self.columns) }
    }

    fileprivate func union(_ other: Table) -> Table {
        var union = Table(
            name: name,
            hasEvents: hasEvents && other.hasEvents,
            isNamed: isNamed || other.isNamed,
            isOpaque: isOpaque || other.isOpaque
        )
        union.columns = columns + other.columns.filter { !columns.contains($0) }
        union.hasGeneratedColumns = hasGeneratedColumns || other.hasGeneratedColumns
        union.uniqueColumns = uniqueColumns.union(other.uniqueColumns)
        union.view = [view, other.view].compactMap(\.self).joined(separator: " ")
        return union
    }
}
