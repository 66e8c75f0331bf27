import DuetHTTPCaching
import Foundation
import GRDB

/// The statements that read and write responses within one access to the database.
final class HTTPCacheTables: CacheTables {
    /// The largest part of a body that one row holds, in bytes: most bodies are one row.
    static let pieceSize = 256 * 1024

    /// The bodies of several pieces whose entries this access removed, with their lengths: readers may still need them.
    private var removed: [HTTPCacheEntry.ID: Int64] = [:]

    let database: Database
    private let room: HTTPCacheRoom
    /// The bodies whose pieces this access deletes, with their lengths.
    private var discarded: [HTTPCacheEntry.ID: Int64] = [:]

    init(_ database: Database, _ room: HTTPCacheRoom) {
        self.database = database
        self.room = room
    }

    func open(isAlone: Bool) throws {
        _ = try database.makeStatement(sql: "SELECT 1 FROM entry, piece")
        // Bodies that killed processes left. On a full disk, for example, they stay until the next time.
        if isAlone { try? execute("DELETE FROM piece WHERE entry NOT IN (SELECT id FROM entry)") }
        try database.inTransaction(.immediate) {
            try trim()
            // Nothing reads them yet.
            try deletePieces(of: removed.keys)
            return .commit
        }
    }

    func begin() throws {
        discarded = room.pins.takeDiscarded(keeping: room.capacity.bytes)
        try deletePieces(of: discarded.keys)
    }

    func end(isCommitted: Bool) {
        room.pins.discard(isCommitted ? removed : discarded)
    }

    // MARK: Reading

    /// The encoded heads of a key, beginning with the one that was stored last.
    func heads(for key: HTTPCacheKey) throws -> [(id: HTTPCacheEntry.ID, head: Data)] {
        try rows(
            "SELECT id, head FROM entry WHERE uri = ? AND partition = ? ORDER BY stored DESC",
            [key.uri.bytes, key.partition.bytes]
        ) { (try $0.value(at: 0), try $0.value(at: 1)) }
    }

    /// The length of an entry's body with one piece of it, or nil if the entry was removed.
    func body(of id: HTTPCacheEntry.ID, piece number: Int64) throws -> (length: Int64, piece: Data?)? {
        try first(
            """
            SELECT length, bytes FROM entry LEFT JOIN piece ON piece.entry = entry.id AND number = ?
            WHERE entry.id = ?
            """,
            [number, id]
        ) { (try $0.value(at: 0), try $0.value(at: 1)) }
    }

    /// A piece of a body, whose entry may have been removed.
    func piece(_ number: Int64, of id: HTTPCacheEntry.ID) throws -> Data? {
        try first("SELECT bytes FROM piece WHERE entry = ? AND number = ?", [id, number]) { try $0.value(at: 0) }
    }

    // MARK: Storing

    /// Stores bytes as the pieces of a body from a number on.
    func insert(_ bytes: Data, from number: Int64, of id: HTTPCacheEntry.ID) throws {
        var (rest, number) = (bytes, number)
        while !rest.isEmpty {
            try execute(
                "INSERT INTO piece (entry, number, bytes) VALUES (?, ?, ?)",
                [id, number, rest.prefix(Self.pieceSize)]
            )
            rest = rest.dropFirst(Self.pieceSize)
            number += 1
        }
    }

    /// Stores an entry, which makes its body visible.
    func insert(_ id: HTTPCacheEntry.ID, _ head: EncodedHead, for key: HTTPCacheKey, length: Int64) throws {
        try execute(
            """
            INSERT INTO entry (id, uri, partition, head, length, size, stored, used) VALUES (?, ?, ?, ?, ?, ?, ?7, ?7)
            """,
            [id, key.uri.bytes, key.partition.bytes, head.bytes, length, length + head.size + key.size, next()]
        )
    }

    func update(_ id: HTTPCacheEntry.ID, to head: EncodedHead) throws {
        try execute(
            """
            UPDATE entry SET head = ?, used = ?, size = length + ? + length(uri) + length(partition) WHERE id = ?
            """,
            [head.bytes, next(), head.size, id]
        )
    }

    /// Records uses, the earliest first.
    func markUsed(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids { try execute("UPDATE entry SET used = ? WHERE id = ?", [next(), id]) }
    }

    /// Counts the pieces of a body that is being stored.
    func countPieces(of id: HTTPCacheEntry.ID) throws -> Int64 {
        try first("SELECT count(*) FROM piece WHERE entry = ?", [id]) { try $0.value(at: 0) } ?? 0
    }

    // MARK: Removing

    func remove(_ id: HTTPCacheEntry.ID) throws {
        try remove(where: "id = ?", [id])
    }

    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids { try remove(id) }
    }

    func removeAll(uri: String) throws {
        try remove(where: "uri = ?", [uri.bytes])
    }

    func removeAll(prefix: String) throws {
        // No byte of a text is 0xFF, so that follows everything with the prefix.
        try remove(where: "uri >= ? AND uri < ?", [prefix.bytes, prefix.bytes + [0xFF]])
    }

    func isTooLarge() throws -> Bool {
        try size() > room.capacity.bytes
    }

    func nextToRemove() throws -> HTTPCacheEntry.ID? {
        try first("SELECT id FROM entry ORDER BY used LIMIT 1") { try $0.value(at: 0) }
    }

    func deletePieces(of ids: some Sequence<HTTPCacheEntry.ID>) throws {
        for id in ids { try execute("DELETE FROM piece WHERE entry = ?", [id]) }
    }

    /// Removes entries and the bodies that are read in one step; other bodies stay until their readers end.
    private func remove(where condition: String, _ arguments: StatementArguments) throws {
        let removed: [(id: HTTPCacheEntry.ID, length: Int64)] = try rows(
            "DELETE FROM entry WHERE \(condition) RETURNING id, length",
            arguments
        ) { (try $0.value(at: 0), try $0.value(at: 1)) }
        for (id, length) in removed {
            if length > Self.pieceSize { self.removed[id] = length } else { try deletePieces(of: [id]) }
        }
    }
}

extension HTTPCacheTables {
    /// Ids, commits, and uses are numbered by one counter, which begins at random so that two files never share an id.
    ///
    /// An entry is a stored response. Its body is in rows of `piece`. A body that is still being written has no entry,
    /// so no order of writes can make it look complete.
    static let kind = DatabaseKind(
        // "Duet" in ASCII.
        application: 0x4475_6574,
        version: 5,
        tables: """
            CREATE TABLE entry (
                id INTEGER PRIMARY KEY,
                uri BLOB NOT NULL,
                partition BLOB NOT NULL,
                head BLOB NOT NULL,
                length INTEGER NOT NULL, -- of the body, in bytes
                size INTEGER NOT NULL, -- what counts against the capacity
                stored INTEGER NOT NULL, -- the order of commits
                used INTEGER NOT NULL -- the order of uses
            );
            CREATE INDEX entryByKey ON entry (uri, partition);
            CREATE INDEX entryByUse ON entry (used);
            CREATE TABLE piece (entry INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL);
            CREATE UNIQUE INDEX pieceByEntry ON piece (entry, number);
            CREATE TABLE state (size INTEGER NOT NULL, counter INTEGER NOT NULL);
            CREATE TRIGGER entryInserted AFTER INSERT ON entry BEGIN
                UPDATE state SET size = size + new.size;
            END;
            CREATE TRIGGER entryUpdated AFTER UPDATE OF size ON entry BEGIN
                UPDATE state SET size = size + new.size - old.size;
            END;
            CREATE TRIGGER entryDeleted AFTER DELETE ON entry BEGIN
                UPDATE state SET size = size - old.size;
            END;
            INSERT INTO state VALUES (0, abs(random() % (1 << 40)));
            """
    )
}
