import DuetHTTPCaching
import Foundation
import Synchronization

/// The head of a response in the form of the database.
struct EncodedHead: Sendable {
    let bytes: Data
    /// The number of bytes that count against the capacity.
    let size: Int64

    init(_ response: StoredResponse) throws {
        bytes = try JSONEncoder().encode(response)
        size = response.approximateSize
    }
}

/// Recently decoded heads, because decoding one takes longer than reading a body of 100 kB.
///
/// A head counts only for the same bytes, so that a change by another process is never missed.
final class DecodedHeads: Sendable {
    private struct State {
        var heads: [HTTPCacheEntry.ID: (bytes: Data, response: StoredResponse)] = [:]
        var order = UseOrder<HTTPCacheEntry.ID>()
        var size = 0
    }

    /// The number of bytes of encoded heads that are remembered.
    private static let limit = 2 * 1024 * 1024

    private let state = Mutex(State())

    /// The response that was encoded as these bytes.
    ///
    /// - Throws: `DecodingError`.
    func response(of id: HTTPCacheEntry.ID, from bytes: Data) throws -> StoredResponse {
        let known: StoredResponse? = state.withLock { state in
            guard let head = state.heads[id], head.bytes == bytes else { return nil }
            state.order.use(id)
            return head.response
        }
        if let known { return known }
        let response = try JSONDecoder().decode(StoredResponse.self, from: bytes)
        state.withLock { state in
            let old = state.heads.updateValue((bytes, response), forKey: id)
            state.size += bytes.count - (old?.bytes.count ?? 0)
            state.order.use(id)
            while state.size > Self.limit, let first = state.order.first {
                state.order.remove(first)
                state.size -= state.heads.removeValue(forKey: first)?.bytes.count ?? 0
            }
        }
        return response
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}
