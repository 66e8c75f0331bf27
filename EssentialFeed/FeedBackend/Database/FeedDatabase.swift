import Foundation
import GRDB

/// The backend's SQLite database of images, their bytes, comments, and removed images.
///
/// Readers do not wait for writers (WAL). Several instances and processes may have one file open.
public struct FeedDatabase: Sendable {
    let connection: any DatabaseWriter

    /// Opens or creates the database in a file, and migrates its tables.
    ///
    /// It also creates missing folders of the path.
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

    /// Returns a database in memory, which ends with the last copy of this value.
    ///
    /// - Throws: ``FeedDatabaseError`` when there is not enough memory.
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
        // Wait rather than fail while another process writes to the file.
        configuration.busyMode = .timeout(5)
        return configuration
    }
}

/// The file was written by a newer version of this program.
struct NewerSchema: Error {}
