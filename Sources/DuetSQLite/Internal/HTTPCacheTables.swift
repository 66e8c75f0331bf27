import DuetHTTPCaching
import Foundation
import GRDB

/// The statements that read and write responses, on one connection.
struct HTTPCacheTables {
    let database: Database
    let capacity: Int64

    init(_ database: Database, capacity: Int64) {
        self.database = database
        self.capacity = capacity
    }

    /// Runs a statement that gives no rows; how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws -> Int {
        let statement = try database.cachedStatement(sql: sql)
        bind(statement)
        try statement.run()
        return database.changesCount
    }

    /// The first value of the first row.
    func number(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws -> Int64? {
        let statement = try database.cachedStatement(sql: sql)
        bind(statement)
        defer { statement.rewind() }
        guard try statement.step() else { return nil }
        let value = statement.integer(at: 0)
        while try statement.step() {}
        return value
    }

    func size() throws -> Int64 {
        try number("SELECT size FROM state") ?? 0
    }

    /// The heads of a key, the one that was stored last first; without the bytes of those that are known at their revision.
    func heads(
        for key: HTTPCacheKey,
        known: (HTTPCacheEntry.ID, _ revision: Int64) -> StoredResponse?
    ) throws -> [HeadRow] {
        let rows = try database.cachedStatement(
            sql: """
                SELECT id, revision, head FROM entry WHERE uri = ? AND partition = ? AND head IS NOT NULL
                ORDER BY stored DESC
                """
        )
        rows.bind(key.uri, at: 1)
        rows.bind(key.partition, at: 2)
        defer { rows.rewind() }
        var heads: [HeadRow] = []
        while try rows.step() {
            let (id, revision) = (rows.integer(at: 0), rows.integer(at: 1))
            let content = known(id, revision).map { HeadRow.Content.known($0) } ?? .bytes(rows.data(at: 2))
            heads.append(HeadRow(id: id, revision: revision, content: content))
        }
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
}
