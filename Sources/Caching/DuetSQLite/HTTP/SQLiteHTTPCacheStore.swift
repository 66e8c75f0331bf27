public import DuetHTTP
public import DuetHTTPCaching

/// A store that keeps responses in an SQLite file, up to a number of bytes.
///
/// ```swift
/// let store = try await SQLiteHTTPCacheStore(path: path, onLoss: { print($0) })
/// return network.caching(in: store) { print($0) }
/// ```
///
/// A body is complete or not visible at all, and one piece of 256 KiB at a time is in memory. All operations throw
/// ``SQLiteStoreError``. See <doc:DuetSQLite> for several processes, damage and power failures.
///
/// A body that is being read stays complete if its response is removed, replaced, or evicted through this store. It
/// ends with an error if another process removes it, everything is removed, or such bodies exceed the capacity.
///
/// Bodies that are being stored take up to the capacity, in addition to it. A killed process leaves them in the file
/// until a process opens the file while no other process has it open.
public final class SQLiteHTTPCacheStore: HTTPCacheStore {
    private let database: CacheDatabase<HTTPCacheTables>
    private let heads = DecodedHeads()

    /// Opens the file, or creates it with its folder.
    ///
    /// It waits for up to `busyTimeout` at a time while other processes use the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. SQLite keeps its log and the log's index beside it, in files whose names end in
    ///     `-wal` and `-shm`. The name of the store's lock ends in `.lock`.
    ///   - capacity: The number of bytes for bodies and heads; 256 MiB by default. A response that is larger than a
    ///     quarter of it is not stored. With 0 or less, nothing is stored.
    ///   - busyTimeout: How long a change waits while another process writes; 5 seconds by default. The last piece of a
    ///     body waits as long for its response to be stored.
    ///   - onLoss: Receives each loss, for a log.
    /// - Throws: ``SQLiteStoreError``.
    public init(
        path: String,
        capacity: Int64 = 256 * 1024 * 1024,
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in }
    ) async throws {
        database = try await CacheDatabase(
            path: path,
            room: HTTPCacheRoom(StoreCapacity(capacity)),
            busyTimeout: busyTimeout,
            onLoss: onLoss
        )
    }

    /// The size of the largest response: a quarter of the capacity.
    public var largestResponse: Int64? { database.room.capacity.largestResponse }

    /// Returns the responses under a key, beginning with the one that was stored last.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        var entries: [HTTPCacheEntry] = []
        for (id, head) in try await database.read({ try $0.heads(for: key) }) {
            do {
                entries.append(HTTPCacheEntry(id: id, response: try heads.response(of: id, from: head)))
            } catch {
                await database.drop(id, reason: "its head cannot be decoded")
            }
        }
        return entries
    }

    /// Returns the stored body of an entry, or the stored bytes of a range; nil if the entry has been removed.
    public func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody? {
        try await StoredBody.read(id, in: range, from: database)
    }

    /// Begins to store a response under a key.
    public func writer(for key: HTTPCacheKey, length: Int64? = nil) -> any HTTPCacheWriter {
        SQLiteHTTPCacheWriter(key, length: length, database)
    }

    /// Replaces the head of an entry, which counts as a use.
    public func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws {
        let head = try EncodedHead(response)
        try await database.write { try $0.update(id, to: head) }
    }

    /// Records the use of an entry.
    public func markUsed(_ id: HTTPCacheEntry.ID) {
        database.noteUse(of: id)
    }

    /// Writes the recorded uses, for other processes and later ones.
    public func flush() async throws {
        try await database.write { _ in }
    }

    /// Removes entries, as far as they exist.
    public func remove(_ ids: [HTTPCacheEntry.ID]) async throws {
        guard !ids.isEmpty else { return }
        try await database.write { try $0.remove(ids) }
    }

    /// Removes the responses to a URI in all partitions.
    public func removeAll(uri: String) async throws {
        try await database.write { try $0.removeAll(uri: uri) }
    }

    /// Removes the responses to all URIs with a prefix, in all partitions.
    public func removeAll(prefix: String) async throws {
        try await database.write { try $0.removeAll(prefix: prefix) }
    }

    /// Removes all responses, also from the files unless another process reads them meanwhile.
    public func removeAll() async throws {
        heads.removeAll()
        try await database.removeAll()
    }

    /// Returns the number of bytes that the stored bodies and heads take.
    public func size() async throws -> Int64 {
        try await database.read { try $0.size() }
    }
}

extension CacheDatabase where Tables == HTTPCacheTables {
    /// Removes an entry that is damaged, and reports it.
    func drop(_ id: HTTPCacheEntry.ID, reason: String) async {
        await drop { tables in
            try tables.remove(id)
            return .response(id: id, reason: reason)
        }
    }
}
