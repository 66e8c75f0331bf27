public import FeedCache
public import Foundation
package import GRDB

/// Keeps the feed and its images' bytes in an SQLite database.
///
/// The database is in WAL mode: readers in other processes go on while one writes. It does not wait for the disk at each
/// commit (`synchronous = NORMAL`): the end of a process loses nothing, a power cut may lose the last commits but damages
/// nothing, and what a cache loses is loaded again.
public final class SQLiteFeedStore: FeedStore, FeedImageDataStore {
    private let pool: DatabasePool
    private let errors: ErrorMapping

    /// Opens the database, or makes it, with the folder that it lies in.
    ///
    /// - Parameters:
    ///   - url: The database file; SQLite puts two more beside it, with `-wal` and `-shm` at the end of the name.
    ///   - busyTimeout: How long to wait while another process writes.
    /// - Throws: ``FeedStoreError``.
    public convenience init(url: URL, busyTimeout: Duration = .seconds(5)) throws {
        try self.init(url: url, busyTimeout: busyTimeout, prepare: { _ in })
    }

    /// Opens the database with each connection prepared, which is how tests make statements fail.
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

    /// Opens the database; where there is one that cannot be used, sets it aside and makes a new one.
    ///
    /// - Parameters:
    ///   - url: The database file.
    ///   - busyTimeout: How long to wait while another process writes.
    /// - Throws: ``FeedStoreError`` when setting something aside would not help.
    public static func open(at url: URL, busyTimeout: Duration = .seconds(5)) throws -> OpenedStore<SQLiteFeedStore> {
        let location = DatabaseLocation(url, busyTimeout: busyTimeout)
        return try location.withLock {
            try OpenedStore(opening: location.files) {
                SQLiteFeedStore(try location.openPool(), location.errors)
            }
        }
    }

    /// The feed, or nil when there is none.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieve() async throws -> CachedFeed? {
        try await read { try FeedTables($0, self.errors).feed() }
    }

    /// Runs several steps as one: all of them happen, or none of them does.
    ///
    /// - Throws: What `body` throws, unchanged, or ``FeedStoreError``; nothing has changed then.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await write { try SQLiteTransaction.run(body, in: $0, self.errors) }
    }

    /// Keeps the bytes if the cached feed has an image with this URL; otherwise does nothing.
    ///
    /// - Throws: ``FeedStoreError``.
    public func insert(_ data: Data, for url: URL) async throws {
        try await write { try FeedTables($0, self.errors).insert(data, for: url) }
    }

    /// The bytes kept for this URL, or nil when there are none.
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

    /// Reads in line with the writes, so that it sees those issued before it, but does not hold up those after it.
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
