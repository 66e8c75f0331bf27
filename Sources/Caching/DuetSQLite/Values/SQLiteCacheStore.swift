public import DuetCaching
public import Foundation

/// A store that keeps values of queries in an SQLite file, up to a number of bytes and of entries.
///
/// ```swift
/// let limit = SQLiteCacheStore.Limit(bytes: 16 * 1024 * 1024)
/// return try await SQLiteCacheStore(path: path, limit: limit, onLoss: { print($0) })
/// ```
///
/// Expired values are removed first, and then the least recently used ones. The size of a value includes its key and
/// tags. A value that takes more than a quarter of the bytes is not stored, and the key's old value is removed. A value
/// has expired if it expires before the date at which the value that needs room was loaded. A file that is opened with
/// smaller limits loses its least recently used values.
///
/// All operations throw ``SQLiteStoreError``. See <doc:DuetSQLite> for several processes, damage and power failures.
public final class SQLiteCacheStore: CacheStore {
    /// The limits of a store, neither of which is exceeded.
    public struct Limit: Hashable, Sendable {
        package let bytes: Int64
        package let entries: Int

        /// Creates limits: 64 MiB and 10,000 values by default; a negative number means 0.
        ///
        /// - Parameters:
        ///   - bytes: The number of bytes for values, with their keys and tags.
        ///   - entries: The number of values.
        public init(bytes: Int64 = 64 * 1024 * 1024, entries: Int = 10_000) {
            self.bytes = max(0, bytes)
            self.entries = max(0, entries)
        }

        /// The number of bytes of the largest value: a quarter.
        var largestValue: Int64 { bytes / 4 }
    }

    private let database: CacheDatabase<ValueTables>

    /// Opens the file, or creates it with its folder.
    ///
    /// It waits for up to `busyTimeout` at a time while other processes use the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. SQLite keeps its log and the log's index beside it, in files whose names end in
    ///     `-wal` and `-shm`. The name of the store's lock ends in `.lock`, and that of a note about a removal that has
    ///     not ended in `.remove`.
    ///   - limit: The limits of the store. With a limit of 0 or less, nothing is stored.
    ///   - busyTimeout: How long a change waits while another process writes; 5 seconds by default.
    ///   - onLoss: Receives each loss, for a log.
    /// - Throws: ``SQLiteStoreError``.
    public init(
        path: String,
        limit: Limit = Limit(),
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws {
        database = try await CacheDatabase(path: path, limit: limit, busyTimeout: busyTimeout, onLoss: onLoss)
        if hasRemovalNote { try await removeAll() }
    }

    /// The path of the file, without links.
    public var location: String? { database.path }

    /// The file that exists from the beginning of a removal to its end.
    private var removalNote: String { database.path + ".remove" }

    /// Whether that file exists, and not one with content, a folder or a link of somebody else.
    private var hasRemovalNote: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: removalNote)
        return attributes?[.type] as? FileAttributeType == .typeRegular && attributes?[.size] as? Int == 0
    }

    /// Returns the value of a key, which counts as a use.
    public func value(for key: CacheKey) async throws -> StoredValue? {
        let encoded = EncodedKey(key)
        switch try await database.read({ try $0.value(for: encoded) }) {
        case nil: return nil
        case .success(let value):
            database.noteUse(of: encoded.id)
            return value
        case .failure:
            await database.drop { tables in
                // Another task may have replaced it meanwhile.
                guard case .failure(let damage) = try tables.value(for: encoded) else { return nil }
                try tables.remove(encoded.id)
                return .value(query: key.query, reason: damage.reason)
            }
            return nil
        }
    }

    /// Stores a value in place of the key's old value, unless it is too large.
    public func insert(_ value: StoredValue, for key: CacheKey) async throws {
        let encodedKey = EncodedKey(key)
        let encoded = EncodedValue(value, for: encodedKey.id)
        try await database.write { try $0.insert(value, encoded, for: encodedKey, ofQuery: key.query) }
    }

    /// Returns the stamp for a writer.
    public func stamp(for writer: UUID) async throws -> Int64 {
        try await database.read { try $0.stamp(for: writer) }
    }

    /// Notes that values of a query may be stale.
    public func noteDoubt(query name: String, by writer: UUID) async throws -> Int64? {
        try await database.write(isShort: true) { try $0.noteDoubt(query: name, by: writer) }
    }

    /// Ends notes.
    public func endDoubts(_ numbers: [Int64]) async throws {
        try await database.write { try $0.endDoubts(numbers) }
    }

    /// Marks values as stale, or removes those that are useless then.
    public func markStale(_ values: StoredValues, by writer: UUID) async throws {
        let damaged = try await database.write { try $0.markStale(values, by: writer) }
        for (id, query) in damaged {
            await database.drop { tables in
                try tables.remove(id)
                return .value(query: query, reason: "its key is damaged")
            }
        }
    }

    /// Changes the bytes of stale values of a query.
    public func updateStale(
        query name: String,
        _ change: @escaping @Sendable (_ key: CacheKey, _ bytes: Data) -> Data?
    ) async throws {
        try await database.write { try $0.updateStale(query: name, change) }
    }

    /// Removes the values of keys, as far as they exist.
    public func remove(_ keys: [CacheKey]) async throws {
        guard !keys.isEmpty else { return }
        let keys = keys.map { EncodedKey($0) }
        try await database.write { tables in for key in keys { try tables.remove(key) } }
    }

    /// Removes values that can no longer be served.
    public func removeExpired(at date: Date) async throws {
        try await database.write { try $0.removeExpired(at: date) }
    }

    /// Notes in a file beside the database that it is to be emptied before its first use.
    public func noteRemoval() async throws -> Bool {
        try database.note(removalNote)
        return hasRemovalNote
    }

    /// Removes all values, also from the files unless another process reads them meanwhile.
    public func removeAll() async throws {
        try await database.removeAll()
        if hasRemovalNote { try? FileManager.default.removeItem(atPath: removalNote) }
    }

    /// Returns the number of bytes that the values take, with their keys and tags.
    public func size() async throws -> Int64 {
        try await database.read { try $0.size() }
    }
}
