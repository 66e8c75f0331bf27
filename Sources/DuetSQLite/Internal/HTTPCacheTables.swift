import DuetHTTPCaching
import Foundation
import GRDB

/// The statements that read and write responses, on one connection.
struct HTTPCacheTables {
    private let database: Database
    private let capacity: Int64

    init(_ database: Database, capacity: Int64) {
        self.database = database
        self.capacity = capacity
    }

    /// Runs a statement that gives no rows; how many rows it changed.
    @discardableResult
    private func run(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws -> Int {
        let statement = try database.cachedStatement(sql: sql)
        bind(statement)
        try statement.run()
        return database.changesCount
    }

    /// The first value of the first row.
    private func number(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws -> Int64? {
        let statement = try database.cachedStatement(sql: sql)
        bind(statement)
        defer { statement.rewind() }
        guard try statement.step() else { return nil }
        let value = statement.integer(at: 0)
        while try statement.step() {}
        return value
    }

    // MARK: Reading

    func size() throws -> Int64 {
        try number("SELECT size FROM state") ?? 0
    }

    func heads(for key: HTTPCacheKey) throws -> [(id: HTTPCacheEntry.ID, head: Data)] {
        let rows = try database.cachedStatement(
            sql: """
                SELECT id, head FROM entry WHERE uri = ? AND partition = ? AND head IS NOT NULL ORDER BY stored DESC
                """
        )
        rows.bind(key.uri, at: 1)
        rows.bind(key.partition, at: 2)
        defer { rows.rewind() }
        var heads: [(id: HTTPCacheEntry.ID, head: Data)] = []
        while try rows.step() { heads.append((rows.integer(at: 0), rows.data(at: 1))) }
        return heads
    }

    /// One row of a body, which is nil where there is none, and how long the body is; nil when the entry is gone.
    func piece(_ number: Int64, of id: HTTPCacheEntry.ID) throws -> (length: Int64, bytes: Data)? {
        let row = try database.cachedStatement(
            sql: """
                SELECT length, bytes FROM entry LEFT JOIN piece ON piece.id = (entry.id << \(HTTPCacheSchema.pieceBits)) + ?
                WHERE entry.id = ? AND head IS NOT NULL
                """
        )
        row.bind(min(number, HTTPCacheSchema.maximumPiece), at: 1)
        row.bind(id, at: 2)
        defer { row.rewind() }
        return try row.step() ? (row.integer(at: 0), row.data(at: 1)) : nil
    }

    // MARK: Storing

    /// Makes an entry without a head.
    func begin(_ key: HTTPCacheKey) throws -> HTTPCacheEntry.ID {
        let now = try tick()
        try run("INSERT INTO entry (uri, partition, length, size, stored, used) VALUES (?, ?, 0, 0, ?3, ?3)") {
            $0.bind(key.uri, at: 1)
            $0.bind(key.partition, at: 2)
            $0.bind(now, at: 3)
        }
        return database.lastInsertedRowID
    }

    /// Adds bytes to an entry, whole rows unless they are the last ones.
    func append(_ bytes: Data, at offset: Int64, to id: HTTPCacheEntry.ID) throws {
        let now = try tick()
        let changed = try run("UPDATE entry SET size = size + ?, used = ? WHERE id = ? AND head IS NULL") {
            $0.bind(Int64(bytes.count), at: 1)
            $0.bind(now, at: 2)
            $0.bind(id, at: 3)
        }
        guard changed == 1 else { throw RowGone() }
        let size = SQLiteHTTPCacheStore.pieceSize
        var number = offset / Int64(size)
        var rest = bytes
        while !rest.isEmpty {
            guard number <= HTTPCacheSchema.maximumPiece else { throw RowGone() }
            try run("INSERT INTO piece (id, bytes) VALUES (?, ?)") {
                $0.bind(id << Int64(HTTPCacheSchema.pieceBits) + number, at: 1)
                $0.bind(rest.prefix(size), at: 2)
            }
            rest = rest.dropFirst(size)
            number += 1
        }
    }

    /// Gives an entry its head, and thereby makes it one that is seen.
    func commit(_ id: HTTPCacheEntry.ID, _ head: StoredHead, length: Int64) throws {
        let now = try tick()
        let changed = try run(
            """
            UPDATE entry SET head = ?1, length = ?2, size = ?2 + ?3 + \(Self.keySize), stored = ?4, used = ?4
            WHERE id = ?5 AND head IS NULL
            """
        ) {
            $0.bind(head.bytes, at: 1)
            $0.bind(length, at: 2)
            $0.bind(head.size, at: 3)
            $0.bind(now, at: 4)
            $0.bind(id, at: 5)
        }
        guard changed == 1 else { throw RowGone() }
    }

    func update(_ id: HTTPCacheEntry.ID, to head: StoredHead) throws {
        let now = try tick()
        try run(
            "UPDATE entry SET head = ?1, size = length + ?2 + \(Self.keySize), used = ?3 WHERE id = ?4 AND head IS NOT NULL"
        ) {
            $0.bind(head.bytes, at: 1)
            $0.bind(head.size, at: 2)
            $0.bind(now, at: 3)
            $0.bind(id, at: 4)
        }
    }

    /// ``HTTPCacheKey/size`` of a row.
    private static let keySize = "length(CAST(uri AS BLOB)) + length(CAST(partition AS BLOB))"

    /// Notes uses, the earliest first.
    func markUsed(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids {
            let now = try tick()
            try run("UPDATE entry SET used = ? WHERE id = ?") {
                $0.bind(now, at: 1)
                $0.bind(id, at: 2)
            }
        }
    }

    /// The next number in the order of all that happens.
    private func tick() throws -> Int64 {
        try number("UPDATE state SET sequence = sequence + 1 RETURNING sequence") ?? 0
    }

    // MARK: Removing

    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids { try run("DELETE FROM entry WHERE id = ?") { $0.bind(id, at: 1) } }
    }

    func removeAll(uri: String) throws {
        try run("DELETE FROM entry WHERE uri = ? AND head IS NOT NULL") { $0.bind(uri, at: 1) }
    }

    func removeAll() throws {
        try run("DELETE FROM piece")
        try run("DELETE FROM entry")
    }

    /// Removes what nobody can be writing any more.
    func sweep() throws {
        try run("DELETE FROM entry WHERE head IS NULL")
    }

    /// Removes what was used longest ago until the rest fits.
    func trim() throws {
        while try size() > capacity {
            guard try run("DELETE FROM entry WHERE id = (SELECT id FROM entry ORDER BY used LIMIT 1)") > 0 else {
                return
            }
        }
    }
}

/// An entry that was being written was removed by others.
struct RowGone: Error {}
