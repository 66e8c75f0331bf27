import Foundation
import GRDB

/// The backend's own SQLite database: images, their bytes, comments, and what was removed.
///
/// Readers do not wait for writers (WAL). Any number of these may be open on one file, in any number of processes.
public struct FeedDatabase: Sendable {
    let connection: any DatabaseWriter

    /// Opens the database in a file, makes it when it is not there, and brings its tables up to date.
    ///
    /// Folders on the way to the file are made too.
    ///
    /// - Throws: ``FeedDatabaseError``, which names the file.
    public init(path: String) throws(FeedDatabaseError) {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try self.init(DatabasePool(path: path, configuration: Self.configuration))
        } catch {
            throw FeedDatabaseError(error, path: path)
        }
    }

    /// A database that lives in memory and ends with the last copy of this value.
    ///
    /// - Throws: ``FeedDatabaseError`` when there is no memory for it.
    public static func inMemory() throws(FeedDatabaseError) -> FeedDatabase {
        do {
            return try FeedDatabase(DatabaseQueue(configuration: configuration))
        } catch {
            throw FeedDatabaseError(error, path: ":memory:")
        }
    }

    private init(_ connection: any DatabaseWriter) throws {
        let migrator = DatabaseMigrator.feed
        guard try !connection.read(migrator.hasBeenSuperseded) else { throw NewerSchema() }
        try migrator.migrate(connection)
        self.connection = connection
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "feed-backend"
        // Another process on the file may be writing: wait for it rather than fail.
        configuration.busyMode = .timeout(5)
        return configuration
    }
}

/// The file holds tables that only a newer version of this program knows.
struct NewerSchema: Error {}
