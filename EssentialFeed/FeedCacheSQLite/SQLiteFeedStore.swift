public import DuetSQLite
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
    private let file: DatabaseFile

    /// Opens the database, or creates it with its folder.
    ///
    /// A damaged database that no other process uses is renamed to `path.unreadable`, and a new one takes its place. A
    /// file that is not a feed's database is refused and left unchanged.
    ///
    /// - Parameters:
    ///   - url: The database file. SQLite adds two more, whose names end in `-wal` and `-shm`. The name of the store's
    ///     lock ends in `.lock`.
    ///   - busyTimeout: How long to wait while another process writes.
    ///   - startsOver: Whether a damaged database may be renamed.
    ///   - onLoss: Called if a damaged database was renamed.
    /// - Throws: `SQLiteStoreError`.
    public convenience init(
        url: URL,
        busyTimeout: Duration = .seconds(5),
        startsOver: Bool = true,
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws {
        try await self.init(
            url: url,
            busyTimeout: busyTimeout,
            startsOver: startsOver,
            onLoss: onLoss,
            prepare: { _ in }
        )
    }

    /// Opens the database and prepares each connection, so that a test can make statements fail.
    package init(
        url: URL,
        busyTimeout: Duration = .seconds(5),
        startsOver: Bool = true,
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in },
        prepare: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        file = try DatabaseFile(
            path: url.path(percentEncoded: false),
            kind: FeedSchema.kind,
            busyTimeout: busyTimeout,
            startsOver: startsOver,
            report: onLoss,
            prepare: prepare,
            check: { database, _ in try FeedSchema.check(database) }
        )
        pool = try await file.open()
    }

    /// Returns the feed, or nil without one.
    ///
    /// - Throws: `SQLiteStoreError`.
    public func retrieve() async throws -> CachedFeed? {
        try await read { try $0.feed() }
    }

    /// Returns the feed's timestamp, or nil without a feed.
    ///
    /// - Throws: `SQLiteStoreError`.
    public func retrieveTimestamp() async throws -> Date? {
        try await read { try $0.timestamp() }
    }

    /// Returns the number of images, or nil without a feed.
    ///
    /// - Throws: `SQLiteStoreError`.
    public func retrieveCount() async throws -> Int? {
        try await read { try $0.count() }
    }

    /// Runs several steps as one.
    ///
    /// - Throws: The error that `body` throws, unchanged, or `SQLiteStoreError`; nothing has changed then.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await write { try SQLiteTransaction.run(body, in: $0, self.file) }
    }

    /// Stores the bytes if the cached feed has this URL, as an image or as a small version of one; otherwise does
    /// nothing.
    ///
    /// - Throws: `SQLiteStoreError`.
    public func insert(_ data: Data, for url: URL) async throws {
        try await write { try FeedTables($0, self.file).insert(data, for: url) }
    }

    /// Returns the bytes for this URL, or nil when there are none.
    ///
    /// - Throws: `SQLiteStoreError`.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        try await read { try $0.data(for: url) }
    }

    private func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(with: Result { try body(database) })
            }
        }
    }

    /// Reads after the writes that were issued before it, without delaying those issued after it.
    private func read<Value: Sendable>(_ body: @escaping @Sendable (FeedTables) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [pool, file] _ in
                pool.spawnConcurrentRead { database in
                    continuation.resume(
                        with: Result { try file.mapping { try body(FeedTables(database.get(), file)) } }
                    )
                }
            }
        }
    }
}
