public import DuetHTTP
public import DuetHTTPCaching
package import GRDB

/// Keeps responses in an SQLite database, as many as fit into so many bytes.
///
/// Several stores and processes can share one database. It is in WAL mode and does not wait for the disk at each commit
/// (`synchronous = NORMAL`): the end of a process loses nothing that was stored, a power cut may lose the last responses but
/// damages none. Files are for their owner alone. A body is written and read in pieces of 128 KiB, so that
/// only a few of them are in memory.
///
/// Rows and heads have checksums. A body that is being read stays until its reader ends, although its response was replaced,
/// invalidated or trimmed here, or the whole file was removed or replaced; what another process removes from it, and
/// ``removeAll()``, ends it with an error. What is being stored takes up to as many bytes again as the capacity, so that a
/// response that is too large drives out none.
///
/// Where more than 256 responses have to go for a new one, or begin with a prefix, others can write between the steps.
///
/// Uses are remembered, and written together with the next response, when there are 256 of them, or by ``flush()``: a hit writes
/// nothing. What one process used is therefore news to another a little later.
///
/// SQLite's log of changes is begun anew while nobody reads from it. Where a program beside this one reads on and on, it grows to
/// the capacity and 32 MiB; until it can be begun anew nothing more is stored then, and no use written.
public final class SQLiteHTTPCacheStore: HTTPCacheStore {
    /// How many bytes of a body lie in one row.
    static let pieceSize = 128 * 1024

    private let database: HTTPCacheDatabase
    private let heads = DecodedHeads()
    private let uses = PendingUses()

    /// Opens the database, or makes it, with the folder that it lies in.
    ///
    /// The thread is blocked while the file is opened, for up to the time of `busyTimeout` for each lock that others hold.
    ///
    /// A file that has never been such a cache is refused, and nothing of it changed.
    /// A database that is damaged is put aside as `path.unreadable`, and an older format is emptied: it is a cache.
    ///
    /// - Parameters:
    ///   - path: The database file, or a link to it. Beside it lie files with `-wal`, `-shm`, `.lock` and `.opening` at the end of
    ///     the name.
    ///   - capacity: For how many bytes of bodies and heads: 256 MiB unless told otherwise. One response takes at most a quarter:
    ///     a larger one is not stored, and is given up as soon as that is known. With 0 or less it stores nothing.
    ///   - busyTimeout: How long to wait while another process writes, or opens the database.
    ///   - onLoss: Told what was damaged and is gone, once each time.
    /// - Throws: ``SQLiteHTTPCacheError``.
    public convenience init(
        path: String,
        capacity: Int64 = 256 * 1024 * 1024,
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteHTTPCacheLoss) -> Void = { _ in }
    ) throws {
        try self.init(path: path, capacity: capacity, busyTimeout: busyTimeout, onLoss: onLoss, prepare: { _ in })
    }

    /// Opens the database with each connection prepared, which is how tests make statements fail.
    package init(
        path: String,
        capacity: Int64 = 256 * 1024 * 1024,
        busyTimeout: Duration = .seconds(5),
        onLoss: @escaping @Sendable (SQLiteHTTPCacheLoss) -> Void = { _ in },
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws {
        guard let file = path.followingLinks else {
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: "it is a link that leads nowhere")
        }
        let place = HTTPCachePlace(
            path: file,
            capacity: StoreCapacity(capacity),
            busyTimeout: busyTimeout,
            prepare: prepare
        )
        database = try HTTPCacheDatabase(place, onLoss: onLoss)
    }

    /// How many bytes one response takes at most: a quarter of the capacity.
    public var largestResponse: Int64? { database.capacity.largestResponse }

    /// The responses that are stored under a key; of several, the one that was stored last comes first.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let cache = try await database.current()
        let rows = try await database.read(from: cache) { [heads] tables in
            try tables.heads(for: key) { heads.head(of: $0, revision: $1, for: key) }
        }
        var entries: [HTTPCacheEntry] = []
        for row in rows ?? [] {
            do {
                entries.append(HTTPCacheEntry(id: row.id, response: try response(of: row, for: key)))
            } catch {
                await database.drop(row.id, from: cache, reason: "its head cannot be decoded")
            }
        }
        return entries
    }

    private func response(of row: HeadRow, for key: HTTPCacheKey) throws -> StoredResponse {
        switch row.content {
        case .known(let response): return response
        case .bytes(let bytes):
            let response = try StoredHead.decode(bytes, for: key)
            heads.insert(response, of: row.id, revision: row.revision, for: key)
            return response
        }
    }

    /// The stored bytes of an entry, or nil when it is gone.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody? {
        try await StoredPieces.body(of: id, in: range, from: database)
    }

    /// Begins to store a response under a key.
    public func writer(for key: HTTPCacheKey, length: Int64? = nil) -> any HTTPCacheWriter {
        SQLiteHTTPCacheWriter(key, length: length, database, uses)
    }

    /// Puts another head in place of an entry's, with the same body, and counts that as a use.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws {
        let head = try StoredHead(response)
        try await uses.write { used in
            try await database.write(isStoring: true) { tables in
                try tables.markUsed(used)
                try tables.update(id, to: head)
            }
        }
    }

    /// Takes note that an entry was used.
    ///
    /// - Throws: ``SQLiteHTTPCacheError`` when there were many to be written.
    public func markUsed(_ id: HTTPCacheEntry.ID) async throws {
        if uses.add(id) { try await flush() }
    }

    /// Writes which entries were used, so that other processes, and the next one, know it too.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``; then the latest are remembered for the next time.
    public func flush() async throws {
        try await uses.write { used in
            guard !used.isEmpty else { return }
            try await database.write(isStoring: true) { try $0.markUsed(used) }
        }
    }

    /// Removes entries, as far as they are there.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func remove(_ ids: [HTTPCacheEntry.ID]) async throws {
        guard !ids.isEmpty else { return }
        try await database.write { try $0.remove(ids) }
    }

    /// Removes all that is stored for a URI, in all partitions.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func removeAll(uri: String) async throws {
        try await database.write { try $0.removeAll(uri: uri) }
    }

    /// Removes all that is stored for URIs that begin with a text, in all partitions.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func removeAll(prefix: String) async throws {
        while try await !database.write({ try $0.removeAll(prefix: prefix) }) {}
    }

    /// Removes everything, and writes the files anew, so that nothing of it can be found in them.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``; while another process reads, what is gone may still be in the files.
    public func removeAll() async throws {
        uses.removeAll()
        heads.removeAll()
        try await database.erase()
    }

    /// How many bytes the stored bodies and heads take, with those that are being stored.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``.
    public func size() async throws -> Int64 {
        try await database.read(from: database.current()) { try $0.size() } ?? 0
    }
}
