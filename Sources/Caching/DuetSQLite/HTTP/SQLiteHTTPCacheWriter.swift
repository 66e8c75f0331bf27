import DuetHTTPCaching
import Foundation

/// Stores one body in the database, a few pieces at a time.
///
/// A body of one piece is written in the transaction that commits it. The earlier pieces of a larger body are written
/// before, without an entry, so that they are not visible.
actor SQLiteHTTPCacheWriter: HTTPCacheWriter {
    private enum End {
        case tooLarge, closed
    }

    private let key: HTTPCacheKey
    private let database: CacheDatabase<HTTPCacheTables>
    /// The bytes that are not in the database yet.
    private var buffer = Data()
    /// The number of accepted bytes, for which room is reserved.
    private var length: Int64 = 0
    /// The pieces that are in the database.
    private var id: HTTPCacheEntry.ID?
    private var pieceCount: Int64 = 0
    private var end: End?

    init(_ key: HTTPCacheKey, length: Int64?, _ database: CacheDatabase<HTTPCacheTables>) {
        self.key = key
        self.database = database
        if let length, length > database.room.capacity.largestResponse { end = .tooLarge }
    }

    deinit {
        database.room.release(length)
        if let id { database.room.pins.discard([id: length]) }
    }

    func append(_ piece: Data) async throws -> Bool {
        switch end {
        case .tooLarge: return false
        case .closed: throw SQLiteStoreError.responseGone(path: database.path)
        case nil: break
        }
        guard Int64(piece.count) <= database.room.capacity.largestResponse - length, database.room.reserve(piece.count)
        else {
            dropBytes(because: .tooLarge)
            return false
        }
        length += Int64(piece.count)
        buffer.append(piece)
        if buffer.count > HTTPCacheTables.pieceSize { try await writePieces() }
        return true
    }

    /// Writes whole pieces, and keeps the last bytes for the commit.
    private func writePieces() async throws {
        let count = (buffer.count - 1) / HTTPCacheTables.pieceSize
        let bytes = buffer.prefix(count * HTTPCacheTables.pieceSize)
        buffer = Data(buffer.dropFirst(bytes.count))
        let (known, number) = (id, pieceCount)
        do {
            id = try await database.write { tables in
                let id = try known ?? tables.next()
                try tables.insert(bytes, from: number, of: id)
                return id
            }
            pieceCount += Int64(count)
        } catch {
            dropBytes(because: .closed)
            throw error
        }
    }

    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
        guard end != .closed else { throw SQLiteStoreError.responseGone(path: database.path) }
        let head = try EncodedHead(response)
        let fits = end == nil && length + head.size + key.size <= database.room.capacity.largestResponse
        let (key, path, bytes, length, known, pieceCount) = (key, database.path, buffer, length, id, pieceCount)
        end = .closed
        defer { dropBytes(because: .closed) }
        let stored: HTTPCacheEntry.ID? = try await database.write { tables in
            try tables.remove(ids)
            guard fits else { return nil }
            let id = try known ?? tables.next()
            // Everything may have been removed since they were written.
            guard try known == nil || tables.countPieces(of: id) == pieceCount else {
                throw SQLiteStoreError.responseGone(path: path)
            }
            try tables.insert(bytes, from: pieceCount, of: id)
            try tables.insert(id, head, for: key, length: length)
            return id
        }
        guard let stored else { return nil }
        // They belong to the entry now.
        id = nil
        return HTTPCacheEntry(id: stored, response: response)
    }

    func discard() {
        dropBytes(because: .closed)
    }

    private func dropBytes(because end: End) {
        self.end = end
        database.room.release(length)
        if let id = id.take() { database.room.pins.discard([id: length]) }
        buffer = Data()
        length = 0
    }
}
