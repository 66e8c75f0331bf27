public import FeedCache
public import Foundation
package import GRDB

/// Stores the feed and its images' bytes in an SQLite database.
///
/// The database is in WAL mode, so other processes can read while one writes. A commit does not wait for the disk
/// (`synchronous = NORMAL`). The end of a process loses nothing. A power failure may lose the last commits but damages
/// nothing; the lost images are loaded again.
public final class SQLiteFeedStore: FeedStore, FeedImageDataStore {
    private let pool: DatabasePool
    private let errors: ErrorMapping

    /// Opens or creates the database, together with its folder.
    ///
    /// - Parameters:
    ///   - url: The database file. SQLite adds two more, whose names end in `-wal` and `-shm`.
    ///   - busyTimeout: How long to wait while another process writes.
    /// - Throws: ``FeedStoreError``.
    public convenience init(url: URL, busyTimeout: Duration = .seconds(5)) throws {
        try self.init(url: url, busyTimeout: busyTimeout, prepare: { _ in })
    }

    /// Opens the database and prepares each connection, so that a test can make statements fail.
    package convenience init(
        url: URL,
        busyTimeout: Duration = .seconds(5),
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws {
        let location = DatabaseLocation(url, busyTimeout: busyTimeout)
        let pool = try location.withLock { try location.openPool(prepare: prepare) }
        self.init(pool, location.errors)
    }

    private init(_ pool: DatabasePool, _ errors: ErrorMapping) {
        self.pool = pool
        self.errors = errors
    }

    /// Opens the database; sets an unusable one aside and creates a new one.
    ///
    /// - Parameters:
    ///   - url: The database file.
    ///   - busyTimeout: How long to wait while another process writes.
    /// - Throws: ``FeedStoreError`` when setting the old one aside would not help.
    public static func open(at url: URL, busyTimeout: Duration = .seconds(5)) throws -> OpenedStore<SQLiteFeedStore> {
        let location = DatabaseLocation(url, busyTimeout: busyTimeout)
        return try location.withLock {
            try OpenedStore(opening: location.files) {
                SQLiteFeedStore(try location.openPool(), location.errors)
            }
        }
    }

    /// Returns the feed, or nil when there is none.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieve() async throws -> CachedFeed? {
        try await read { try FeedTables($0, self.errors).feed() }
    }

    /// Returns the feed's timestamp without its images, or nil when there is no feed.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieveTimestamp() async throws -> Date? {
        try await read { try FeedTables($0, self.errors).timestamp() }
    }

    /// Returns the number of the feed's images without the images, or nil when there is no feed.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieveCount() async throws -> Int? {
        try await read { try FeedTables($0, self.errors).count() }
    }

    /// Runs several steps as one, so that all of them take effect or none of them does.
    ///
    /// - Throws: The error that `body` throws, unchanged, or ``FeedStoreError``; nothing has changed then.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await write { try SQLiteTransaction.run(body, in: $0, self.errors) }
    }

    /// Stores the bytes if the cached feed has an image with this URL; otherwise does nothing.
    ///
    /// - Throws: ``FeedStoreError``.
    public func insert(_ data: Data, for url: URL) async throws {
        try await write { try FeedTables($0, self.errors).insert(data, for: url) }
    }

    /// Returns the bytes for this URL, or nil when there are none.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        try await read { try FeedTables($0, self.errors).data(for: url) }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(with: Result { try body(database) })
            }
        }
    }

    /// Reads after the writes that were issued before it, without delaying those issued after it.
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [pool, errors] _ in
                pool.spawnConcurrentRead { database in
                    continuation.resume(with: Result { try errors.mapping { try body(database.get()) } })
                }
            }
        }
    }
}
