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
}

extension DatabaseKind {
    /// Creates a kind whose format is the number of its migrations.
    package init(application: Int, migrator: DatabaseMigrator) {
        self.init(application: application, version: migrator.migrations.count, migrator: migrator)
    }
}
