import DuetHTTPCaching
import Foundation
import GRDB

/// The statements that read and write responses within one access to the database.
final class HTTPCacheTables {
    /// The largest part of a body that one row holds, in bytes: most bodies are one row.
    static let pieceSize = 256 * 1024

    /// The bodies of several pieces whose entries this access removed, with their lengths: readers may still need them.
    private(set) var removed: [HTTPCacheEntry.ID: Int64] = [:]

    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    // MARK: Reading

    func size() throws -> Int64 {
        try stateValue("SELECT size FROM state")
    }

    /// The encoded heads of a key, the one that was stored last first.
    func heads(for key: HTTPCacheKey) throws -> [(id: HTTPCacheEntry.ID, head: Data)] {
        try rows(
            "SELECT id, head FROM entry WHERE uri = ? AND partition = ? ORDER BY stored DESC",
            [key.uri.bytes, key.partition.bytes]
        ) { (try $0.value(at: 0), try $0.value(at: 1)) }
    }

    /// The length of an entry's body with one piece of it, or nil if the entry is gone.
    func body(of id: HTTPCacheEntry.ID, piece number: Int64) throws -> (length: Int64, piece: Data?)? {
        try first(
            """
            SELECT length, bytes FROM entry LEFT JOIN piece ON piece.entry = entry.id AND number = ?
            WHERE entry.id = ?
            """,
            [number, id]
        ) { (try $0.value(at: 0), try $0.value(at: 1)) }
    }

    /// A piece of a body, whose entry may be gone.
    func piece(_ number: Int64, of id: HTTPCacheEntry.ID) throws -> Data? {
        try first("SELECT bytes FROM piece WHERE entry = ? AND number = ?", [id, number]) { try $0.value(at: 0) }
    }

    // MARK: Storing

    /// The next number of the counter.
    func next() throws -> Int64 {
        try stateValue("UPDATE state SET counter = counter + 1 RETURNING counter")
    }

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

    /// Stores an entry, and thereby makes its body visible.
    func insert(_ id: HTTPCacheEntry.ID, _ head: EncodedHead, for key: HTTPCacheKey, length: Int64) throws {
        try execute(
            """
            INSERT INTO entry (id, uri, partition, head, length, size, stored, used) VALUES (?, ?, ?, ?, ?, ?, ?7, ?7)
            """,
            [
                id, key.uri.bytes, key.partition.bytes, head.bytes, length, length + head.size + key.size, next(),
            ]
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

    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids { try remove(where: "id = ?", [id]) }
    }

    func removeAll(uri: String) throws {
        try remove(where: "uri = ?", [uri.bytes])
    }

    func removeAll(prefix: String) throws {
        // No byte of a text is 0xFF, so that follows everything with the prefix.
        try remove(where: "uri >= ? AND uri < ?", [prefix.bytes, prefix.bytes + [0xFF]])
    }

    func removeAll() throws {
        try execute("DELETE FROM piece")
        try execute("DELETE FROM entry")
        try execute("UPDATE state SET size = 0")
    }

    /// Removes the least recently used entries until the others fit.
    func trim(to capacity: Int64) throws {
        var last: HTTPCacheEntry.ID?
        func leastRecentlyUsed() throws -> HTTPCacheEntry.ID? {
            try first("SELECT id FROM entry ORDER BY used LIMIT 1") { try $0.value(at: 0) }
        }
        while try size() > capacity, let id = try leastRecentlyUsed() {
            // A trigger of another program, for example, may keep it.
            guard id != last else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry stays") }
            try remove([id])
            last = id
        }
    }

    func deletePieces(of ids: some Sequence<HTTPCacheEntry.ID>) throws {
        for id in ids { try execute("DELETE FROM piece WHERE entry = ?", [id]) }
    }

    /// Removes entries, with the bodies that are read in one step; the others wait for their readers.
    private func remove(where condition: String, _ arguments: StatementArguments) throws {
        let removed: [(id: HTTPCacheEntry.ID, length: Int64)] = try rows(
            "DELETE FROM entry WHERE \(condition) RETURNING id, length",
            arguments
        ) { (try $0.value(at: 0), try $0.value(at: 1)) }
        for (id, length) in removed {
            if length > Self.pieceSize { self.removed[id] = length } else { try deletePieces(of: [id]) }
        }
    }

    // MARK: Statements

    private func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The values that `read` takes from each row, which is only valid within it and so needs no copy.
    private func rows<Value>(
        _ sql: String,
        _ arguments: StatementArguments = [],
        _ read: (Row) throws -> Value
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try read(row)) }
        return values
    }

    private func first<Value>(
        _ sql: String,
        _ arguments: StatementArguments = [],
        _ read: (Row) throws -> Value
    ) throws -> Value? {
        try rows(sql, arguments, read).first
    }

    /// A value of the one row of `state`, without which nothing has bounds or order.
    private func stateValue(_ sql: String) throws -> Int64 {
        let value: Int64? = try first(sql) { try $0.value(at: 0) }
        guard let value else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the row of state is missing")
        }
        return value
    }
}

extension String {
    /// The text as SQLite keeps it whole: a text of SQLite's own ends at the first zero.
    fileprivate var bytes: Data { Data(utf8) }
}

extension Row {
    /// A value of a type that a damaged file may not hold: GRDB's subscripts end the process then.
    fileprivate func value<Value: DatabaseValueConvertible>(at index: Int) throws -> Value {
        guard let value = Value.fromDatabaseValue(self[index]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a column holds another type")
        }
        return value
    }
}
