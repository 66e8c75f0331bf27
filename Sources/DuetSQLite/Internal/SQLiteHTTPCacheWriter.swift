import DuetHTTPCaching
import Foundation
import Synchronization

/// Takes one body into the database, a few rows at a time.
///
/// What fits into ``limit`` bytes is written with its head in one step; what is more goes before, under an entry without a head,
/// which nobody sees, which takes no room from what is seen, and which is swept when the database is opened.
final class SQLiteHTTPCacheWriter: HTTPCacheWriter {
    private struct State {
        var buffer = Data()
        var written: Int64 = 0
        /// The entry without a head, once there is one.
        var id: HTTPCacheEntry.ID?
        var end: End?
    }

    private enum End {
        case tooLarge, failed, done
    }

    private static let limit = 2 * SQLiteHTTPCacheStore.pieceSize

    private let key: HTTPCacheKey
    private let database: HTTPCacheDatabase
    private let uses: PendingUses
    private let state = Mutex(State())

    init(_ key: HTTPCacheKey, length: Int64?, _ database: HTTPCacheDatabase, _ uses: PendingUses) {
        self.key = key
        self.database = database
        self.uses = uses
        if let length, length > database.capacity.largestResponse { state.withLock { $0.end = .tooLarge } }
    }

    deinit {
        if let id = state.withLock({ $0.id }) { database.discardLater(id) }
    }

    func append(_ piece: Data) async throws -> Bool {
        var rest = piece
        while !rest.isEmpty {
            let count = min(rest.count, Self.limit)
            try await appendPart(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return state.withLock { $0.end == nil }
    }

    private func appendPart(_ part: Data) async throws {
        let full: State? = try state.withLock { state in
            switch state.end {
            case .tooLarge: return nil
            case .failed, .done: throw SQLiteHTTPCacheError.responseGone(path: database.path)
            case nil: break
            }
            state.buffer.append(part)
            guard state.written + Int64(state.buffer.count) <= database.capacity.largestResponse else {
                state.end = .tooLarge
                state.buffer = Data()
                if let id = state.id.take() { database.discardLater(id) }
                return nil
            }
            return state.buffer.count < Self.limit ? nil : state
        }
        guard let full else { return }
        try await write(full)
    }

    /// Writes whole rows, and keeps the rest for the next time.
    private func write(_ full: State) async throws {
        let count = full.buffer.count / SQLiteHTTPCacheStore.pieceSize * SQLiteHTTPCacheStore.pieceSize
        let (key, bytes) = (key, full.buffer.prefix(count))
        do {
            let id = try await database.write(isStoring: true) { tables in
                let id = try full.id ?? tables.begin(key)
                try tables.append(bytes, at: full.written, to: id)
                return id
            }
            state.withLock { state in
                state.id = id
                state.written += Int64(count)
                state.buffer = Data(state.buffer.dropFirst(count))
            }
        } catch {
            let id = state.withLock { state in
                state.end = .failed
                state.buffer = Data()
                return state.id.take()
            }
            if let id { database.discardLater(id) }
            throw error
        }
    }

    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws
        -> HTTPCacheEntry?
    {
        let (key, head) = (key, try StoredHead(response))
        let last = try state.withLock { state in
            if state.end == .failed || state.end == .done {
                throw SQLiteHTTPCacheError.responseGone(path: database.path)
            }
            defer {
                state.end = state.end ?? .done
                state.buffer = Data()
                state.id = nil
            }
            return state
        }
        do {
            let length = last.written + Int64(last.buffer.count)
            let fits = last.end != .tooLarge && length + head.size + key.size <= database.capacity.largestResponse
            let id = try await uses.write { used in
                try await database.write(isStoring: fits) { tables in
                    try tables.markUsed(used)
                    try tables.remove(ids)
                    guard fits else {
                        if let id = last.id { try tables.discard(id) }
                        return HTTPCacheEntry.ID?.none
                    }
                    let id = try last.id ?? tables.begin(key)
                    try tables.append(last.buffer, at: last.written, to: id)
                    try tables.commit(id, head, for: key, length: length)
                    return id
                }
            }
            return id.map { HTTPCacheEntry(id: $0, response: response) }
        } catch {
            if let id = last.id { database.discardLater(id) }
            throw error
        }
    }

    func discard() async {
        let id = state.withLock { state in
            state.end = .done
            state.buffer = Data()
            return state.id.take()
        }
        if let id { database.discardLater(id) }
    }
}
