import DuetHTTPCaching
import Synchronization

/// Heads that were read or written lately, so that a hit need not decode one: that takes longer than reading the body.
final class DecodedHeads: Sendable {
    private struct Head {
        let key: HTTPCacheKey
        let revision: Int64
        let response: StoredResponse

        var size: Int64 { response.approximateSize + key.size }
    }

    private struct State {
        var heads: [HTTPCacheEntry.ID: Head] = [:]
        var order = UseOrder<HTTPCacheEntry.ID>()
        var size: Int64 = 0
    }

    /// How many bytes they may take.
    private static let limit: Int64 = 4 * 1024 * 1024

    private let state = Mutex(State())

    /// A head as it was at a revision, stored under that key.
    func head(of id: HTTPCacheEntry.ID, revision: Int64, for key: HTTPCacheKey) -> StoredResponse? {
        state.withLock { state in
            guard let head = state.heads[id], head.revision == revision, head.key == key else { return nil }
            state.order.use(id)
            return head.response
        }
    }

    func insert(_ response: StoredResponse, of id: HTTPCacheEntry.ID, revision: Int64, for key: HTTPCacheKey) {
        state.withLock { state in
            let new = Head(key: key, revision: revision, response: response)
            state.size += new.size - (state.heads.updateValue(new, forKey: id)?.size ?? 0)
            state.order.use(id)
            while state.size > Self.limit, let first = state.order.first {
                state.order.remove(first)
                state.size -= state.heads.removeValue(forKey: first)?.size ?? 0
            }
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}
