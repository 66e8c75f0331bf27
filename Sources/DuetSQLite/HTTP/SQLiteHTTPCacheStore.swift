public import DuetHTTP
public import DuetHTTPCaching
package import GRDB

/// A store that keeps responses in an SQLite file, up to a number of bytes.
///
/// Several stores and processes can share one file, which is for its owner only. SQLite writes it in WAL mode and does
/// not wait for the disk at each commit (`synchronous = NORMAL`): a process that is killed loses nothing that was
/// stored, and a power failure may lose the last responses but damages none.
///
/// ## Bodies
/// A body is in pieces of 256 KiB, of which one at a time is in memory. It is complete or not visible at all. A body
/// that is being read remains whole although its response is removed, replaced, or trimmed through this store; it ends
/// with an error when another process removes it, when everything is removed, and when such bodies exceed the capacity.
/// Bodies that are being stored take up to as many bytes as the capacity, beside it. A process that is killed leaves
/// them in the file, until a process opens the file while no other has it open.
///
/// ## Uses
/// A hit writes nothing. The last 256 uses are written with the next change or by ``flush()``. A process that is killed,
/// or whose change fails, loses them. Other processes learn of them when they are written.
///
/// ## Damage
/// A file that is not a cache is refused and left unchanged. A damaged cache is renamed to `path.unreadable`, and the
/// store starts over, if no other process uses the file. Otherwise the operations of this store throw
/// ``SQLiteCacheError/damagedInUse(path:reason:)`` until the store is made again or ``removeAll()`` succeeds, and
/// requests go to the origin. SQLite does not notice every change of a byte by a disk; nor does the store.
public final class SQLiteHTTPCacheStore: HTTPCacheStore {
    private let database: CacheDatabase<HTTPCacheTables>
    private let heads = DecodedHeads()

    /// Opens the file, or creates it with its folder.
    ///
    /// The thread is blocked meanwhile, for up to `busyTimeout` at a time while other processes use the file.
    ///
    /// - Parameters:
    ///   - path: The file. SQLite keeps its log and the log's index beside it, in files whose names end in `-wal` and
    ///     `-shm`.
    ///   - capacity: How many bytes of bodies and heads are kept, 256 MiB by default. One response takes at most a
    ///     quarter: a larger one is not stored. A store with a capacity of 0 or less stores nothing.
    ///   - busyTimeout: How long a change waits while another process writes. The last piece of a body waits for its
    ///     response to be stored, for as long.
    ///   - onLoss: Called for each loss, to be logged.
    /// - Throws: ``SQLiteCacheError``, but not for a damaged file that another process uses: that is reported to
    ///   `onLoss`.
    public convenience init(
        path: String,
        capacity: Int64 = 256 * 1024 * 1024,
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteCacheLoss) -> Void = { _ in }
    ) throws {
        try self.init(path: path, capacity: capacity, busyTimeout: busyTimeout, onLoss: onLoss, prepare: { _ in })
    }

    /// Opens the file with each connection prepared, which is how tests make statements fail.
    package init(
        path: String,
        capacity: Int64 = 256 * 1024 * 1024,
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteCacheLoss) -> Void = { _ in },
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws {
        database = try CacheDatabase(
            path: path,
            room: HTTPCacheRoom(StoreCapacity(capacity)),
            busyTimeout: busyTimeout,
            onLoss: onLoss,
            prepare: prepare
        )
    }

    /// The largest response that is stored, in bytes: a quarter of the capacity.
    public var largestResponse: Int64? { database.room.capacity.largestResponse }

    /// The responses that are stored under a key, the most recently stored first.
    ///
    /// - Throws: ``SQLiteCacheError``.
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

    /// The stored bytes of an entry, or nil if the entry is gone.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody? {
        try await StoredBody.read(id, in: range, from: database)
    }

    /// Begins to store a response under a key.
    public func writer(for key: HTTPCacheKey, length: Int64? = nil) -> any HTTPCacheWriter {
        SQLiteHTTPCacheWriter(key, length: length, database)
    }

    /// Replaces the head of an entry, keeps its body, and counts that as a use.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws {
        let head = try EncodedHead(response)
        try await database.write { try $0.update(id, to: head) }
    }

    /// Notes a use of an entry.
    public func markUsed(_ id: HTTPCacheEntry.ID) {
        database.noteUse(of: id)
    }

    /// Writes the uses that were noted, so that other processes and the next one know them.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func flush() async throws {
        try await database.write { _ in }
    }

    /// Removes entries, as far as they exist.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func remove(_ ids: [HTTPCacheEntry.ID]) async throws {
        guard !ids.isEmpty else { return }
        try await database.write { try $0.remove(ids) }
    }

    /// Removes everything that is stored for a URI, in all partitions.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func removeAll(uri: String) async throws {
        try await database.write { try $0.removeAll(uri: uri) }
    }

    /// Removes everything that is stored for URIs with a prefix, in all partitions.
    ///
    /// - Throws: ``SQLiteCacheError``.
    public func removeAll(prefix: String) async throws {
        try await database.write { try $0.removeAll(prefix: prefix) }
    }

    /// Removes everything and rewrites the files, so that nothing can be found in them.
    ///
    /// - Throws: ``SQLiteCacheError``. While another process reads, the files may still contain what was removed.
    public func removeAll() async throws {
        heads.removeAll()
        try await database.removeAll()
    }

    /// How many bytes the stored bodies and heads take.
    ///
    /// - Throws: ``SQLiteCacheError``.
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
