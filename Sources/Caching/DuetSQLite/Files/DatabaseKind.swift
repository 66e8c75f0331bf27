import Duet
package import GRDB

/// One kind of database file: the numbers that identify it, and the tables of its newest format.
package struct DatabaseKind: Sendable {
    /// The `application_id`, by which a file is recognized.
    let application: Int
    /// The newest format, kept as `user_version`.
    let version: Int
    /// The size of a page of a new file, in bytes.
    var pageSize = 4_096
    /// Returns the loss to report when a damaged file has been renamed.
    var loss: @Sendable (_ renamedTo: String, _ reason: String) -> SQLiteStoreLoss = SQLiteStoreLoss.database
    /// Creates and updates the tables; without it, those of an older format are emptied.
    var migrator: DatabaseMigrator?
    /// The statements that create the tables, without a migrator.
    var tables = ""

    func create(in database: any DatabaseWriter) throws {
        if let migrator { return try migrator.migrate(database) }
        try database.write { try $0.execute(sql: tables) }
    }

    /// Throws an error if a file has a view, a trigger or a virtual table that is not of its kind, such as a view that
    /// has the name of a table and never ends.
    func checkPrograms(of database: Database) throws {
        let found = try Self.programs(of: database)
        guard !found.isEmpty else { return }
        let new = try DatabaseQueue()
        try create(in: new)
        if let other = try found.subtracting(new.inDatabase(Self.programs)).min() {
            let name = other.split(separator: " ").prefix(3).joined(separator: " ").safe(upTo: 100)
            throw DatabaseError.damage("another program has added to it: \(name)")
        }
    }

    /// The statements that create neither tables nor indexes, whatever else the file claims about them, on one line.
    private static func programs(of database: Database) throws -> Set<String> {
        let sql = """
            SELECT sql FROM sqlite_schema WHERE sql NOT GLOB 'CREATE TABLE *' AND sql NOT GLOB 'CREATE INDEX *'
                AND sql NOT GLOB 'CREATE UNIQUE INDEX *'
            """
        let statements = try String.fetchAll(database, sql: sql)
        return Set(statements.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") })
    }
}

extension DatabaseKind {
    /// Creates a kind whose format is the number of its migrations.
    package init(application: Int, migrator: DatabaseMigrator) {
        self.init(application: application, version: migrator.migrations.count, migrator: migrator)
    }
}
