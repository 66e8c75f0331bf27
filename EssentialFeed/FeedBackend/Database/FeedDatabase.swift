import FeedFeature
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
            self = try Self.attempting {
                try FeedDatabase(DatabasePool(path: path, configuration: Self.configuration))
            }
        } catch {
            throw FeedDatabaseError(error, path: path)
        }
    }

    /// Opens a file again while an attempt fails because another process creates or migrates the file at that moment.
    ///
    /// SQLite does not wait when a file changes to write-ahead logging, and both processes may begin a migration.
    private static func attempting(_ open: () throws -> FeedDatabase) throws -> FeedDatabase {
        for _ in 1..<100 {
            do {
                return try open()
            } catch let error as DatabaseError where error.isTemporary {
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
        return try open()
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

extension DatabaseError {
    /// Whether another attempt may succeed: the file is locked, or another process has made the same change of it.
    fileprivate var isTemporary: Bool {
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: true
        // A statement of a migration, or the record of it, finds the changes of the other process.
        case .SQLITE_ERROR, .SQLITE_CONSTRAINT: true
        default: false
        }
    }
}

/// An error for a file that was written by a newer version of this program.
private struct NewerSchema: Error {}

/// The reason why the backend's database cannot be used.
@nonexhaustive
public enum FeedDatabaseError: Error {
    /// The file or its folder cannot be created, opened or written.
    case cannotOpen(path: String, underlying: any Error)

    /// The file is damaged, or it is not an SQLite database.
    case damaged(path: String, underlying: any Error)

    /// The file was written by a newer version of this program.
    case newerSchema(path: String)

    init(_ error: any Error, path: String) {
        switch (error, (error as? DatabaseError)?.resultCode) {
        case (is NewerSchema, _): self = .newerSchema(path: path)
        case (_, .SQLITE_NOTADB?), (_, .SQLITE_CORRUPT?): self = .damaged(path: path, underlying: error)
        default: self = .cannotOpen(path: path, underlying: error)
        }
    }
}

extension FeedDatabaseError: CustomStringConvertible {
    /// The failure and what to do about it.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let underlying):
            """
            The database \(path) cannot be opened: \(underlying.plainReason). \
            Check that its folder can be written, or choose another file.
            """
        case .damaged(let path, let underlying):
            """
            The file \(path) is damaged, or it is not a database: \(underlying.plainReason). \
            Move it away to start with an empty database, or choose another file.
            """
        case .newerSchema(let path):
            "The database \(path) was written by a newer version. Use that version, or choose another file."
        }
    }
}
