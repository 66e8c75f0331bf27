import DuetHTTP
import DuetHTTPCaching
import Foundation

/// The bytes of a stored body, row by row.
struct StoredPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: StoredPieces

        mutating func next() async throws -> Data? {
            try await pieces.next()
        }
    }

    private let id: HTTPCacheEntry.ID
    private let database: HTTPCacheDatabase
    private let length: Int64
    /// What is wanted and not read yet.
    private var rest: Range<Int64>
    private let reading: BodyReading
    /// What is wanted of the row that was read to find out whether there is a body.
    private var first: Data?

    /// A body, or a part of it; nil when there is none that can be read.
    static func body(
        of id: HTTPCacheEntry.ID,
        in range: Range<Int64>?,
        from database: HTTPCacheDatabase
    ) async throws -> HTTPBody? {
        let number = number(Swift.max(0, range?.lowerBound ?? 0))
        // Before its first row is read, so that whoever removes it knows.
        let reading = BodyReading(id, in: try await database.current())
        let found = try await database.read(from: reading.cache) { try $0.piece(number, of: id, isBegun: false) }
        guard let row = found ?? nil else { return nil }
        if let damage = row.damage(expecting: size(of: number, length: row.length)) {
            await database.drop(id, from: reading.cache, reason: "row \(number) of its body \(damage)")
            return nil
        }
        let wanted = (range ?? 0..<row.length).clamped(to: 0..<row.length)
        guard !wanted.isEmpty else { return HTTPBody(Data()) }
        var pieces = StoredPieces(
            id: id,
            database: database,
            length: row.length,
            rest: wanted,
            reading: reading,
            first: row.bytes
        )
        let first = pieces.taking(row.bytes)
        guard !pieces.rest.isEmpty else { return HTTPBody(first) }
        pieces.first = first
        return HTTPBody(pieces, size: Int64(wanted.count))
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: self)
    }

    private mutating func next() async throws -> Data? {
        if let first = first.take() { return first }
        guard !rest.isEmpty else { return nil }
        let (id, number) = (id, Self.number(rest.lowerBound))
        let found = try await database.read(from: reading.cache) { try $0.piece(number, of: id, isBegun: true) }
        guard let row = found ?? nil else { throw SQLiteHTTPCacheError.responseGone(path: database.path) }
        if let damage = row.damage(expecting: Self.size(of: number, length: length)) {
            await database.drop(id, from: reading.cache, reason: "row \(number) of its body \(damage)")
            throw SQLiteHTTPCacheError.responseGone(path: database.path)
        }
        return taking(row.bytes)
    }

    /// What is wanted of the next row, which thereby is taken.
    private mutating func taking(_ bytes: Data) -> Data {
        let start = Self.number(rest.lowerBound) * Self.pieceSize
        let end = Swift.min(rest.upperBound, start + Int64(bytes.count))
        defer { rest = end..<rest.upperBound }
        return bytes.dropFirst(Int(rest.lowerBound - start)).prefix(Int(end - rest.lowerBound))
    }

    private static let pieceSize = Int64(SQLiteHTTPCacheStore.pieceSize)

    /// The row that holds the byte at an offset.
    private static func number(_ offset: Int64) -> Int64 {
        offset / pieceSize
    }

    /// How many bytes a row has; none after the end.
    private static func size(of number: Int64, length: Int64) -> Int64 {
        let start = number * pieceSize
        return start < length ? Swift.min(pieceSize, length - start) : Swift.min(length, 0)
    }
}
