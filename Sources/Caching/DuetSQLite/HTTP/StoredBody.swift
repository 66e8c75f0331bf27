import DuetHTTP
import DuetHTTPCaching
import Foundation

/// The bytes of a stored body that spans several pieces, read one piece at a time.
struct StoredBody: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: StoredBody

        mutating func next() async throws -> Data? {
            try await body.next()
        }
    }

    private let id: HTTPCacheEntry.ID
    private let length: Int64
    private let database: CacheDatabase<HTTPCacheTables>
    private let pin: BodyPin
    /// The bytes that are not read yet.
    private var rest: Range<Int64>
    /// The piece that was read with the length.
    private var first: Data?

    /// Reads a body or a part of it, in one step if one piece holds all of it.
    ///
    /// - Returns: Nil if the entry was removed, or is damaged and is removed now.
    static func read(
        _ id: HTTPCacheEntry.ID,
        in range: Range<Int64>?,
        from database: CacheDatabase<HTTPCacheTables>
    ) async throws -> HTTPBody? {
        // Pinned before its first piece is read, so that a removal meanwhile leaves the others.
        let pin = BodyPin(id, in: database.room.pins)
        let number = number(of: Swift.max(0, range?.lowerBound ?? 0))
        guard let (length, piece) = try await database.read({ try $0.body(of: id, piece: number) }) else { return nil }
        guard length >= 0, (piece?.count ?? 0) == count(ofPiece: number, length: length) else {
            await database.drop(id, reason: "piece \(number) of its body is missing or incomplete")
            return nil
        }
        let wanted = (range ?? 0..<length).clamped(to: 0..<length)
        guard let piece, !wanted.isEmpty else { return HTTPBody(Data()) }
        var body = StoredBody(id: id, length: length, database: database, pin: pin, rest: wanted, first: nil)
        let bytes = body.take(from: piece)
        guard !body.rest.isEmpty else { return HTTPBody(bytes) }
        body.first = bytes
        return HTTPBody(body, size: Int64(wanted.count))
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self)
    }

    private mutating func next() async throws -> Data? {
        if let first = first.take() { return first }
        guard !rest.isEmpty else { return nil }
        let (id, number) = (id, Self.number(of: rest.lowerBound))
        let piece = try await database.read { try $0.piece(number, of: id) }
        guard let piece, piece.count == Self.count(ofPiece: number, length: length) else {
            // Without its entry it was removed by another process, or with everything.
            if try await database.read({ try $0.body(of: id, piece: number) }) != nil {
                await database.drop(id, reason: "piece \(number) of its body is missing or incomplete")
            }
            throw SQLiteStoreError.responseGone(path: database.path)
        }
        return take(from: piece)
    }

    /// The wanted bytes of the next piece.
    private mutating func take(from piece: Data) -> Data {
        let start = Self.number(of: rest.lowerBound) * Self.pieceSize
        let end = Swift.min(rest.upperBound, start + Int64(piece.count))
        defer { rest = end..<rest.upperBound }
        return piece.dropFirst(Int(rest.lowerBound - start)).prefix(Int(end - rest.lowerBound))
    }

    private static let pieceSize = Int64(HTTPCacheTables.pieceSize)

    /// The number of the piece that holds the byte at an offset.
    private static func number(of offset: Int64) -> Int64 {
        offset / pieceSize
    }

    /// The number of bytes in a piece of a body.
    private static func count(ofPiece number: Int64, length: Int64) -> Int64 {
        Swift.max(0, Swift.min(pieceSize, length - number * pieceSize))
    }
}
