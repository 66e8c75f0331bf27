public import DuetCaching
public import Foundation
package import GRDB

/// A store that keeps queued commands in an SQLite file, up to a number of commands and of bytes.
///
/// ```swift
/// let store = try SQLiteCommandStore(path: path, onLoss: { print($0) })
/// ```
///
/// The file contains the commands of one account. Call ``/DuetCaching/CommandQueue/removeAll()`` at sign-out, or give
/// each account its own file. One process at a time sends the commands of a file: two would send them twice, with the
/// same idempotency key.
///
/// ## Power failures
/// SQLite writes the file in WAL mode and waits for the disk at each commit (`synchronous = FULL`, and `fullfsync` on
/// Apple platforms). An inserted command outlives a killed process and a power failure.
///
/// ## Damage
/// A file that is not a store of commands is refused and left unchanged. A damaged file is renamed to
/// `path.unreadable`, and the store starts over, if no other process uses the file. `onLoss` reports that. Otherwise,
/// the operations of this store throw ``SQLiteCacheError/damagedInUse(path:reason:)`` until the store is created again.
public final class SQLiteCommandStore: CommandStore {
    private let database: CacheDatabase<CommandTables>

    /// Opens the file, or creates it with its folder.
    ///
    /// This blocks the thread, for up to `busyTimeout` at a time while other processes use the file. Commands that
    /// exceed smaller limits than before stay in the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. SQLite keeps its log and the log's index beside it, in files whose names end in
    ///     `-wal` and `-shm`.
    ///   - limit: The limits of the store; by default 1,000 commands and 16 MiB.
    ///   - busyTimeout: How long a change waits while another process writes; 5 seconds by default.
    ///   - onLoss: Receives each loss, for a log.
    /// - Throws: ``SQLiteCacheError``. A damaged file that another process uses is reported to `onLoss` instead.
    public convenience init(
        path: String,
        limit: CommandStoreLimit = CommandStoreLimit(),
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteCacheLoss) -> Void = { _ in }
    ) throws {
        try self.init(path: path, limit: limit, busyTimeout: busyTimeout, onLoss: onLoss, prepare: { _ in })
    }

    /// Opens the file and prepares each connection, so that tests can make statements fail.
    package init(
        path: String,
        limit: CommandStoreLimit = CommandStoreLimit(),
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteCacheLoss) -> Void = { _ in },
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws {
        database = try CacheDatabase(
            path: path,
            room: limit,
            busyTimeout: busyTimeout,
            onLoss: onLoss,
            prepare: prepare
        )
    }

    /// Adds a command after all others.
    ///
    /// - Throws: ``/DuetCaching/CommandStoreFull``, ``SQLiteCacheError``.
    public func insert(_ command: StoredCommand) async throws {
        try await database.write { try $0.insert(command) }
    }

    /// Returns all commands, in the order in which they were added.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func all() async throws -> [StoredCommand] {
        try await database.read { try $0.all() }
    }

    /// Replaces the progress of a command.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func update(_ id: UUID, attempts: Int, failure: String?) async throws {
        try await database.write { try $0.update(id, attempts: attempts, failure: failure) }
    }

    /// Removes commands.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func remove(_ ids: [UUID]) async throws {
        guard !ids.isEmpty else { return }
        try await database.write { tables in for id in ids { try tables.remove(id) } }
    }

    /// Removes all commands and rewrites the files, so that they no longer contain them.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func removeAll() async throws {
        try await database.removeAll()
    }
}
