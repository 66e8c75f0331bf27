import DuetHTTPCaching
import Foundation
import GRDB

/// The statements that read and write responses, on one connection.
struct HTTPCacheTables {
    let database: Database
    let capacity: StoreCapacity
    let readers: BodyReaders

    init(_ database: Database, capacity: StoreCapacity, _ readers: BodyReaders) {
        self.database = database
        self.capacity = capacity
        self.readers = readers
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
        try numbers(sql, bind).first
    }

    /// The first values of all rows.
    func numbers(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws -> [Int64] {
        let statement = try database.cachedStatement(sql: sql)
        bind(statement)
        defer { statement.rewind() }
        var values: [Int64] = []
        while try statement.step() { values.append(statement.integer(at: 0)) }
        return values
    }

    func size() throws -> Int64 {
        try required(number("SELECT size FROM state"))
    }

    /// What the one row of `state` says, without which nothing has bounds or order.
    func required(_ value: Int64?) throws -> Int64 {
        guard let value else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the row of state is gone") }
        return value
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

    /// One row of a body, without bytes where there is none; nil when the entry is gone.
    ///
    /// - Parameter isBegun: Whether a row of it was read before: then it is there for as long as it is being read.
    func piece(_ number: Int64, of id: HTTPCacheEntry.ID, isBegun: Bool) throws -> PieceRow? {
        let row = try database.cachedStatement(
            sql: """
                SELECT length, sum, bytes FROM entry
                LEFT JOIN piece ON piece.id = ?
                WHERE entry.id = ? AND (head IS NOT NULL OR ?)
                """
        )
        let place = HTTPCacheSchema.row(min(number, HTTPCacheSchema.maximumPiece), of: id)
        row.bind(place, at: 1)
        row.bind(id, at: 2)
        row.bind(isBegun ? 1 : 0, at: 3)
        defer { row.rewind() }
        guard try row.step() else { return nil }
        return PieceRow(
            row: place,
            length: row.integer(at: 0),
            checksum: row.integer(at: 1),
            bytes: row.data(at: 2)
        )
    }
}
