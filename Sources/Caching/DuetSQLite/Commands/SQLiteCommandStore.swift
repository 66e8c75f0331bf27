public import DuetCaching
public import Foundation

/// A store that keeps queued commands in an SQLite file, up to a number of commands and of bytes.
///
/// ```swift
/// let store = try await SQLiteCommandStore(path: path, onLoss: { print($0) })
/// ```
///
/// The file contains the commands of one account. Call ``/DuetCaching/CommandQueue/removeAll()`` at sign-out, or give
/// each account its own file. Many processes can add commands to a file, and one of them sends: it holds a lock, which
/// the system releases when the process ends. The others look once a second. All operations throw ``SQLiteStoreError``.
///
/// An inserted command outlives a killed process and a power failure. See <doc:DuetSQLite> for damage.
public final class SQLiteCommandStore: CommandStore {
    private let database: CacheDatabase<CommandTables>
    private let clock: any Clock<Duration>

    /// Opens the file, or creates it with its folder.
    ///
    /// It waits for up to `busyTimeout` at a time while other processes use the file. Commands that exceed smaller
    /// limits than before stay in the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. SQLite keeps its log and the log's index beside it, in files whose names end in
    ///     `-wal` and `-shm`. The names of the locks of the store and of the queue that sends end in `.lock` and
    ///     `.sender`.
    ///   - limit: The limits of the store; by default 1,000 commands and 16 MiB.
    ///   - busyTimeout: How long a change waits while another process writes; 5 seconds by default.
    ///   - startsOver: Whether a damaged file may be renamed.
    ///   - clock: Measures the second after which a queue looks for changes of other processes.
    ///   - onLoss: Receives each loss, for a log.
    /// - Throws: ``SQLiteStoreError``.
    public init(
        path: String,
        limit: CommandStoreLimit = CommandStoreLimit(),
        busyTimeout: Duration = .seconds(5),
        startsOver: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(),
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws {
        self.clock = clock
        database = try await CacheDatabase(
            path: path,
            limit: limit,
            busyTimeout: busyTimeout,
            startsOver: startsOver,
            onLoss: onLoss
        )
    }

    /// Adds a command after all others, or throws ``/DuetCaching/CommandStoreFull``.
    public func insert(_ command: StoredCommand) async throws {
        try await change { try $0.insert(command) }
    }

    /// Returns all commands in the order of insertion.
    public func all() async throws -> [StoredCommand] {
        try await database.read { try $0.all() }
    }

    /// Replaces the progress of a command.
    public func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws {
        try await change { try $0.update(id, attempts: attempts, failure: failure, isRetried: isRetried) }
    }

    /// Removes commands.
    public func remove(_ ids: [UUID]) async throws {
        try await change { tables in for id in ids { try tables.remove(id) } }
    }

    /// Counts requests to send commands.
    public func requestSending(of ids: [UUID]) async throws {
        try await change { tables in for id in ids { try tables.requestSending(of: id) } }
    }

    /// Removes all commands and rewrites the files, so that they no longer contain them.
    public func removeAll() async throws {
        try await database.removeAll()
    }

    /// Locks the file for the queue that sends, or returns nil while another queue has the lock.
    public func claimSending() async throws -> SendingClaim? {
        try database.lock("sender").map { lock in SendingClaim { withExtendedLifetime(lock) {} } }
    }

    /// Returns a number that each change increases by one, whichever process makes it.
    public func revision() async throws -> Int {
        try await database.read { try $0.revision() }
    }

    /// Elements that arrive once a second.
    public var changes: AsyncStream<Void> {
        AsyncStream { [clock] in try? await clock.sleep(for: .seconds(1)) }
    }

    private func change(_ body: @escaping @Sendable (CommandTables) throws -> Void) async throws {
        try await database.write { tables in
            try body(tables)
            try tables.noteChange()
        }
    }
}
