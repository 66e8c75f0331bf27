import Duet
import GRDB
import Synchronization

/// The schema of a tracked database, as long as it does not change.
final class Schemas: Sendable {
    private struct State {
        var current: Schema
        /// The schemas of connections with their own tables or databases, and the versions of these.
        var own: [ObjectIdentifier: (schema: Schema, version: Int64?)] = [:]
    }

    private let state: Mutex<State>

    init(version: Int64?) {
        state = Mutex(State(current: Schema(version: version)))
    }

    /// The schema of a connection at the beginning of an access.
    func current(of db: Database) -> Schema {
        let (current, own) = state.withLock { ($0.current, $0.own[ObjectIdentifier(db)]) }
        guard let own else { return current }
        let version = try? Int64.fetchOne(db.cachedStatement(sql: "PRAGMA temp.schema_version"))
        if let version, version == own.version { return own.schema }
        let schema = Schema()
        state.withLock { $0.own[ObjectIdentifier(db)] = (schema, version) }
        return schema
    }

    /// Takes a version of the schema, and returns whether it is a new one.
    func update(to version: Int64?) -> Bool {
        guard version == nil || version != state.withLock(\.current.version) else { return false }
        change(to: version)
        return true
    }

    func change(to version: Int64?) {
        state.withLock { state in
            state.current = Schema(version: version)
            for connection in state.own.keys { state.own[connection]?.version = nil }
        }
    }

    /// Notes that a connection may have its own tables or databases.
    func noteOwn(_ db: Database) { state.withLock { $0.own[ObjectIdentifier(db)] = (Schema(), nil) } }

    func table(_ name: String, in db: Database) -> Table? { current(of: db).tables(in: db)?[name] }
}

/// A table of a tracked database.
struct Table {
    var columns: Set<String> = []
    var hasGeneratedColumns = false
    /// The columns whose change may replace another row.
    var uniqueColumns: Set<String> = []
    /// Whether SQLite reports the changes of each row.
    let hasEvents: Bool
    /// Whether a read of it names what it reads: neither a view, whose tables are named, nor a table of functions.
    let isNamed: Bool
    /// Whether it may read other tables than its own.
    let isOpaque: Bool
    /// The definition of a view; nil for a table.
    let view: String?
}

final class Schema: Sendable {
    /// By name.
    typealias Tables = [String: Table]

    /// Tables without a table, which depend on their arguments.
    private static let functionTables = ["json_each", "json_tree"]
    /// What changes only with the schema.
    private static let masterTables = ["sqlite_master", "sqlite_temp_master"]

    /// Functions of full texts, which depend on the table alone.
    private static let textFunctions = ["bm25", "highlight", "match", "matchinfo", "offsets", "snippet"]

    /// The version of the database's schema; nil for a schema of a connection.
    fileprivate let version: Int64?
    private let state = Mutex((tables: Tables?.none, reads: [String: StatementRead]()))

    init(version: Int64? = nil) {
        self.version = version
    }

    static func version(of db: Database) -> Int64? {
        try? Int64.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version"))
    }

    /// The tables, or nil if they cannot be read.
    func tables(in db: Database) -> Tables? {
        if let known = state.withLock(\.tables) { return known }
        guard let tables = try? Self.load(from: db) else { return nil }
        // A snapshot may be older, and a transaction may be rolled back.
        if version == nil || version == Self.version(of: db) { state.withLock { $0.tables = tables } }
        return tables
    }

    /// The attached databases and the application's functions, on which a statement may depend.
    private static func surroundings(of db: Database) throws -> (databases: [String], functions: [String]) {
        let databases = "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')"
        let functions = "SELECT name FROM pragma_function_list WHERE NOT builtin AND NOT flags & 0x800"
        return (
            try String.fetchAll(db, sql: databases),
            try String.fetchAll(db, sql: functions).filter { !textFunctions.contains($0) }
        )
    }

    private static func load(from db: Database) throws -> Tables {
        var tables: Tables = [:]
        let list = """
            SELECT schema, name, type, wr, CASE type WHEN 'view' THEN (
                SELECT sql FROM sqlite_master AS main WHERE main.name = list.name
                UNION ALL SELECT sql FROM sqlite_temp_master AS temp WHERE temp.name = list.name
            ) END FROM pragma_table_list AS list
            UNION ALL SELECT 'main', value, 'function', 0, NULL FROM json_each(?)
            """
        let others = "[\"\((functionTables + masterTables).joined(separator: "\", \""))\"]"
        for row in try Row.fetchAll(db, sql: list, arguments: [others]) {
            let (name, type): (String, String) = (row[1], row[2])
            let table = Table(
                hasEvents: type == "table" && !(row[3] as Bool),
                isNamed: type != "view" && type != "function",
                isOpaque: type != "function" && name.hasPrefix("sqlite_") || type == "virtual" || type == "shadow",
                view: row[4]
            )
            // A table of the connection hides one of the file, whose names are those of both.
            tables[name] = tables[name].map { $0.union(table) } ?? table
        }
        let columns = """
            SELECT list.name, info.name, hidden, pk FROM (
                SELECT schema, name FROM pragma_table_list UNION SELECT 'main', value FROM json_each(?)
            ) AS list CROSS JOIN pragma_table_xinfo(list.name, list.schema) AS info
            """
        for row in try Row.fetchAll(db, sql: columns, arguments: [others]) {
            let (table, name): (String, String) = (row[0], row[1])
            tables[table]?.columns.insert(name)
            if row[2] as Int >= 2 { tables[table]?.hasGeneratedColumns = true }
            if row[3] as Int > 0 { tables[table]?.uniqueColumns.insert(name) }
        }
        let indexes = """
            SELECT list.name, part.name FROM (SELECT schema, name FROM pragma_table_list UNION SELECT '', '' WHERE 0) AS list
            CROSS JOIN pragma_index_list(list.name, list.schema) AS entry
            CROSS JOIN pragma_index_info(entry.name, list.schema) AS part WHERE entry."unique"
            """
        for row in try Row.fetchAll(db, sql: indexes) {
            let (table, name): (String, String?) = (row[0], row[1])
            // An index of an expression concerns any column.
            let unique = name.map { [$0] } ?? tables[table]?.columns ?? []
            tables[table]?.uniqueColumns.formUnion(unique)
        }
        return tables
    }

    // MARK: Reading

    func read(of sql: String, in db: Database, _ tracker: DataTracker) -> StatementRead {
        if let known = state.withLock({ $0.reads[sql] }) { return known }
        guard let tables = tables(in: db) else { return StatementRead(names: [tracker.anything]) }
        let text = StatementText(sql, views: tables)
        guard !text.isDefinition, let statement = try? db.makeStatement(sql: sql) else {
            return StatementRead(names: [tracker.anything], isDefinition: text.isDefinition)
        }
        guard let (databases, functions) = try? Self.surroundings(of: db) else {
            return StatementRead(names: [tracker.anything])
        }
        var names = tables.names(of: statement.databaseRegion, in: db, tracker) ?? [tracker.anything]
        for table in text.tablesOfImplicitColumns(tables.keys) { names.insert(DataName(tracker, table, .whole)) }
        let door = databases.isEmpty ? text.door(functions) : "an attached database"
        let read = StatementRead(names: names, door: door)
        state.withLock { state in
            if state.tables != nil { state.reads[sql] = state.reads.count < 4_096 ? read : nil }
        }
        return read
    }
}

extension [String: Table] {
    /// The names of a region; nil for one with unknown tables.
    fileprivate func names(of region: DatabaseRegion, in db: Database, _ tracker: DataTracker) -> Set<DataName>? {
        guard !region.isFullDatabase else { return nil }
        var names: Set<DataName> = []
        var known = DatabaseRegion()
        for (name, table) in self where region.isModified(byEventsOfKind: .insert(tableName: name)) {
            let isWhole = region.isModified(byEventsOfKind: .update(tableName: name, columnNames: [""]))
            let columns = table.columns.union(["ROWID"]).sorted().filter {
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
    fileprivate func union(_ other: Table) -> Table {
        Table(
            hasEvents: hasEvents && other.hasEvents,
            isNamed: isNamed || other.isNamed,
            isOpaque: isOpaque || other.isOpaque,
            view: [view, other.view].compactMap(\.self).joined(separator: " ")
        )
    }
}
