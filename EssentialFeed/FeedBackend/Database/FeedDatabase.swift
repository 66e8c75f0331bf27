public import DuetDependencies
import DuetSQLite
import GRDB

/// The backend's SQLite database of images, their bytes, comments, and removed images.
///
/// Readers do not wait for writers (WAL). Several instances and processes may have one file open.
public struct FeedDatabase: Disposable {
    /// "EFBd" in ASCII.
    private static let kind = DatabaseKind(application: 0x4546_4264, migrator: .feed)

    /// What handlers read from is tracked, so that the cache needs no rules.
    let connection: TrackedDatabase
    private let file: any DatabaseWriter

    /// Opens or creates the database in a file, for its owner alone, and migrates its tables.
    ///
    /// It also creates missing folders of the path. A file that is not a backend's database is left unchanged. Before
    /// it migrates a database of an earlier version, it copies it to a file beside it, such as
    /// `backend.sqlite.version-6`, in place of such a copy from before.
    ///
    /// - Throws: `SQLiteStoreError`, which names the file.
    public init(path: String) async throws {
        // A person's images are not replaced; that person has to decide.
        let newest = DatabaseMigrator.feed.migrations.count
        let file = try await DatabaseFile(
            path: path,
            kind: Self.kind,
            startsOver: false,
            // Within the lock of the file, and before it is migrated.
            prepare: { try $0.copyBeforeMigration(to: newest) }
        )
        .open()
        try self.init(file)
    }

    private init(_ file: any DatabaseWriter) throws {
        self.file = file
        connection = try TrackedDatabase(file, name: "feed")
    }

    /// Returns a database in memory, which ends with the last copy of this value.
    ///
    /// - Throws: `DatabaseError` when there is not enough memory.
    public static func inMemory() throws -> FeedDatabase {
        var configuration = Configuration()
        configuration.label = "feed-backend"
        let connection = try DatabaseQueue(configuration: configuration)
        try DatabaseMigrator.feed.migrate(connection)
        return try FeedDatabase(connection)
    }

    /// Closes the database, which cannot be used afterward.
    ///
    /// Without it, the last copy of this value closes it, while another program may open the file and find it locked.
    public func dispose() async {
        try? file.close()
    }
}
