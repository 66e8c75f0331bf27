import DuetHTTPCaching
import Foundation
import GRDB

extension HTTPCacheTables {
    /// Makes an entry without a head.
    func begin(_ key: HTTPCacheKey) throws -> HTTPCacheEntry.ID {
        let now = try tick()
        try run(
            "INSERT INTO entry (uri, partition, length, size, stored, revision, used) VALUES (?, ?, 0, 0, ?3, ?3, ?3)"
        ) {
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
            let row = HTTPCacheSchema.row(number, of: id)
            try run("INSERT INTO piece (id, sum, bytes) VALUES (?, ?, ?)") {
                $0.bind(row, at: 1)
                $0.bind(PieceRow.checksum(rest.prefix(size), in: row), at: 2)
                $0.bind(rest.prefix(size), at: 3)
            }
            rest = rest.dropFirst(size)
            number += 1
        }
    }

    /// Gives an entry its head, and thereby makes it one that is seen.
    func commit(_ id: HTTPCacheEntry.ID, _ head: StoredHead, for key: HTTPCacheKey, length: Int64) throws {
        let now = try tick()
        let changed = try run(
            """
            UPDATE entry SET head = ?1, length = ?2, size = ?2 + ?3 + \(Self.keySize), stored = ?4, revision = ?4, used = ?4
            WHERE id = ?5 AND head IS NULL
            """
        ) {
            $0.bind(head.bytes(for: key), at: 1)
            $0.bind(length, at: 2)
            $0.bind(head.size, at: 3)
            $0.bind(now, at: 4)
            $0.bind(id, at: 5)
        }
        guard changed == 1 else { throw RowGone() }
    }

    func update(_ id: HTTPCacheEntry.ID, to head: StoredHead) throws {
        guard let key = try key(of: id) else { return }
        let now = try tick()
        try run(
            """
            UPDATE entry SET head = ?1, size = length + ?2 + \(Self.keySize), revision = ?3, used = ?3
            WHERE id = ?4 AND head IS NOT NULL
            """
        ) {
            $0.bind(head.bytes(for: key), at: 1)
            $0.bind(head.size, at: 2)
            $0.bind(now, at: 3)
            $0.bind(id, at: 4)
        }
    }

    /// What a response is stored under; nil when it is gone.
    private func key(of id: HTTPCacheEntry.ID) throws -> HTTPCacheKey? {
        let row = try database.cachedStatement(
            sql: "SELECT partition, uri FROM entry WHERE id = ? AND head IS NOT NULL"
        )
        row.bind(id, at: 1)
        defer { row.rewind() }
        guard try row.step() else { return nil }
        return HTTPCacheKey(partition: row.text(at: 0) ?? "", uri: row.text(at: 1) ?? "")
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
        try required(number("UPDATE state SET sequence = sequence + 1 RETURNING sequence"))
    }
}

/// An entry that was being written was removed by others.
struct RowGone: Error {}
