import DuetCaching
import Foundation
import GRDB

/// The statements that read and write values within one access to the database.
final class ValueTables: CacheTables {
    let database: Database
    private let limit: SQLiteCacheStore.Limit
    /// The date at which values expire, if this access knows it.
    private var now: Date?

    init(_ database: Database, _ limit: SQLiteCacheStore.Limit) {
        self.database = database
        self.limit = limit
    }

    func open(isAlone: Bool) throws {
        _ = try database.makeStatement(sql: "SELECT 1 FROM value, usage, tag, doubt")
        try database.inTransaction(.immediate) {
            // The caches that noted doubts have ended, and nobody will find the stale values.
            if isAlone { try resolveDoubts() }
            try trim()
            return .commit
        }
    }

    // MARK: Reading

    func value(for key: EncodedKey) throws -> Result<StoredValue, EncodedValue.Damage>? {
        try row(
            """
            SELECT key, loaded, usableUntil, writer, epoch, tags, checksum, bytes, isKept, isStale,
                (SELECT group_concat(doubt.number) FROM doubt
                WHERE doubt.query = value.query AND doubt.number > value.number)
            FROM value WHERE id = ?
            """,
            for: key.id
        ) { row in
            if row.holds(key.bytes, at: 0) { return EncodedValue.decode(row, for: key.id) }
            // Another key with this number, or no key anymore.
            let isDamaged = EncodedKey.id(of: row.bytes(at: 0)) != key.id
            return isDamaged ? .failure(EncodedValue.Damage(reason: "its key is damaged")) : nil
        } ?? nil
    }

    /// The mark that a writer last saw of others.
    ///
    /// Its upper half is chosen with the tables, and changes when everything is removed. Each mark changes the lower
    /// half.
    func stamp(for writer: UUID) throws -> Int64 {
        let sql = "SELECT iif(marker = ?, markOfOthers, mark) FROM state"
        guard let stamp: Int64 = try first(sql, [writer], { try $0.value(at: 0) }) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the row of state is missing")
        }
        return stamp
    }

    // MARK: Storing

    private static let lowerHalf = Int64(UInt32.max)

    /// Stores a value in place of another, or only removes that one if the new value is too large or useless.
    func insert(_ value: StoredValue, _ encoded: EncodedValue, for key: EncodedKey, ofQuery name: String) throws {
        let changes = try value.stamp.map { try $0 ^ stamp(for: value.writer) } ?? 0
        guard changes & ~Self.lowerHalf == 0 else { return }
        try remove(key.id)
        let size = Int64(value.bytes.count + key.bytes.count + encoded.tags.count)
        let isStale = value.isStale || changes != 0
        let number = try next()
        // A mark of the same cache that is still to come may concern the value, and does not change its stamp.
        let doubt: Int64? = try first(
            "SELECT number FROM doubt WHERE query = ? AND writer = ? ORDER BY number LIMIT 1",
            [name.bytes, value.writer]
        ) { try $0.value(at: 0) }
        guard size <= limit.largestValue, !isStale || value.isKeptWhenStale else { return }
        try execute(
            """
            INSERT INTO value
                (id, query, key, loaded, usableUntil, writer, epoch, size, tags, checksum, bytes, isKept, isStale,
                number)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                key.id, name.bytes, Data(key.bytes), value.loaded.bits, value.usableUntil?.bits, value.writer,
                value.epoch, size, Data(encoded.tags), isStale ? ~encoded.checksum : encoded.checksum, value.bytes,
                value.isKeptWhenStale, isStale, doubt.map { $0 - 1 } ?? number,
            ]
        )
        // A damaged file may have a use without its value.
        try execute("INSERT OR REPLACE INTO usage (value, used) VALUES (?, ?)", [key.id, number])
        for tag in value.tags {
            try execute("INSERT OR IGNORE INTO tag (name, value) VALUES (?, ?)", [tag.bytes, key.id])
        }
        now = value.loaded
    }

    func markUsed(_ ids: [Int64]) throws {
        for id in ids { try execute("UPDATE usage SET used = ? WHERE value = ?", [next(), id]) }
    }

    // MARK: Doubts

    func noteDoubt(query name: String, by writer: UUID) throws -> Int64 {
        try noteMark(by: writer)
        let number = try next()
        try execute("INSERT INTO doubt (number, query, writer) VALUES (?, ?, ?)", [number, name.bytes, writer])
        return number
    }

    func endDoubts(_ numbers: [Int64]) throws {
        for number in numbers { try execute("DELETE FROM doubt WHERE number = ?", [number]) }
    }

    private func resolveDoubts() throws {
        let doubts = try rows("SELECT query, max(number) FROM doubt GROUP BY query") { row -> (Data, Int64) in
            (try row.value(at: 0), try row.value(at: 1))
        }
        for (query, number) in doubts { try markStale(where: "query = ? AND number < ?", [query, number]) }
        if !doubts.isEmpty { try execute("DELETE FROM doubt") }
    }

    // MARK: Marking

    /// Changes the stamp of all writers but one.
    private func noteMark(by writer: UUID) throws {
        try execute(
            """
            UPDATE state SET
                markOfOthers = iif(marker = :writer, markOfOthers, mark),
                mark = (mark & ~:lower) | (random() & :lower),
                marker = :writer
            """,
            ["writer": writer, "lower": Self.lowerHalf]
        )
    }

    /// Marks values as stale, or removes them, and returns the numbers of damaged keys with their queries.
    func markStale(_ values: StoredValues, by writer: UUID) throws -> [(id: Int64, query: String)] {
        try noteMark(by: writer)
        switch values {
        case .everything: try markStale(where: "true")
        case .tag(let tag): try markStale(where: "id IN (SELECT value FROM tag WHERE name = ?)", [tag.bytes])
        case .keys(let keys):
            for key in keys.map({ EncodedKey($0) }) {
                try markStale(where: "id = ? AND key = ?", [key.id, Data(key.bytes)])
            }
        case .query(let name, let condition):
            var damaged: [(id: Int64, query: String)] = []
            let found = try rows("SELECT id, key FROM value WHERE query = ?", [name.bytes]) { row -> (Int64, Data) in
                (try row.value(at: 0), try row.value(at: 1))
            }
            for (id, bytes) in found {
                if let key = CacheKey(encoded: bytes), EncodedKey.id(of: bytes) == id {
                    if condition(key) { try markStale(where: "id = ?", [id]) }
                } else {
                    damaged.append((id, name))
                }
            }
            return damaged
        }
        return []
    }

    /// The checksum changes with the mark, so that a damaged mark is noticed.
    private func markStale(where condition: String, _ arguments: StatementArguments = []) throws {
        try execute("DELETE FROM value WHERE NOT isKept AND \(condition)", arguments)
        try execute("UPDATE value SET isStale = 1, checksum = ~checksum WHERE NOT isStale AND \(condition)", arguments)
    }

    /// Changes the bytes of stale values, except for damaged ones, which the next read finds.
    func updateStale(query name: String, _ change: (CacheKey, Data) -> Data?) throws {
        let keys = try rows("SELECT key FROM value WHERE query = ? AND isStale", [name.bytes]) { row -> Data in
            try row.value(at: 0)
        }
        for key in keys.compactMap({ CacheKey(encoded: $0) }) {
            let encoded = EncodedKey(key)
            guard case .success(var value) = try self.value(for: encoded), let bytes = change(key, value.bytes),
                bytes.count <= value.bytes.count || encoded.bytes.count + bytes.count <= limit.largestValue
            else { continue }
            value.bytes = bytes
            try insert(value, EncodedValue(value, for: encoded.id), for: encoded, ofQuery: name)
        }
    }

    // MARK: Removing

    func remove(_ id: Int64) throws {
        try execute("DELETE FROM value WHERE id = ?", [id])
    }

    func remove(_ key: EncodedKey) throws {
        try execute("DELETE FROM value WHERE id = ? AND key = ?", [key.id, Data(key.bytes)])
    }

    func removeExpired(at date: Date) throws {
        try execute("DELETE FROM value WHERE usableUntil <= ?", [date.bits])
    }

    func isTooLarge() throws -> Bool {
        try size() > limit.bytes || stateValue("SELECT count FROM state") > limit.entries
    }

    func nextToRemove() throws -> Int64? {
        if let now, let id = try nextExpired(at: now) { return id }
        let id: Int64? = try first("SELECT value FROM usage ORDER BY used LIMIT 1") { try $0.value(at: 0) }
        guard let id else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the values are not those that are counted")
        }
        return id
    }

    private func nextExpired(at date: Date) throws -> Int64? {
        try first("SELECT id FROM value WHERE usableUntil <= ? ORDER BY usableUntil LIMIT 1", [date.bits]) {
            try $0.value(at: 0)
        }
    }
}

extension ValueTables {
    /// Uses are in a separate table, so that marking them does not rewrite values.
    static let kind = DatabaseKind(
        // "DueV" in ASCII.
        application: 0x4475_6556,
        version: 4,
        // A value of 100 kB is read in a quarter of the time that pages of 4 KiB take.
        pageSize: 16_384,
        tables: """
            CREATE TABLE value (
                id INTEGER PRIMARY KEY, -- a hash of the key
                query BLOB NOT NULL, -- its name
                key BLOB NOT NULL, -- all parts
                loaded INTEGER NOT NULL, -- dates are bits of numbers, in the order of dates
                usableUntil INTEGER,
                writer BLOB NOT NULL,
                epoch INTEGER NOT NULL,
                size INTEGER NOT NULL, -- what counts against the limit
                tags BLOB NOT NULL, -- each with its length
                checksum INTEGER NOT NULL, -- of everything but the key and the size; inverted for a stale value
                bytes BLOB NOT NULL,
                isKept INTEGER NOT NULL, -- whether a stale value is kept
                isStale INTEGER NOT NULL,
                number INTEGER NOT NULL -- the counter when it was stored, or before the first doubt of its writer
            );
            -- Notes that values of a query with smaller numbers may be stale.
            CREATE TABLE doubt (number INTEGER PRIMARY KEY, query BLOB NOT NULL, writer BLOB NOT NULL);
            CREATE INDEX valueByQuery ON value (query);
            CREATE INDEX valueByExpiry ON value (usableUntil) WHERE usableUntil IS NOT NULL;
            CREATE TABLE usage (value INTEGER PRIMARY KEY, used INTEGER NOT NULL); -- the order of uses
            CREATE INDEX usageByUse ON usage (used);
            CREATE TABLE tag (name BLOB NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, value)) WITHOUT ROWID;
            CREATE INDEX tagByValue ON tag (value);
            CREATE TABLE state (
                size INTEGER NOT NULL,
                count INTEGER NOT NULL,
                counter INTEGER NOT NULL,
                marker BLOB, -- the last writer that marked values
                mark INTEGER NOT NULL, -- a random number for its last mark
                markOfOthers INTEGER NOT NULL -- for the last one of another writer
            );
            CREATE TRIGGER valueInserted AFTER INSERT ON value BEGIN
                UPDATE state SET size = size + new.size, count = count + 1;
            END;
            CREATE TRIGGER valueDeleted AFTER DELETE ON value BEGIN
                UPDATE state SET size = size - old.size, count = count - 1;
                DELETE FROM usage WHERE value = old.id;
                DELETE FROM tag WHERE value = old.id;
            END;
            INSERT INTO state VALUES (0, 0, 0, NULL, random(), 0);
            """
    )
}
