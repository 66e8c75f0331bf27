import DuetHTTPCaching

/// Keeps a number of responses in memory, and removes the oldest ones.
actor CountedHTTPCacheStore: HTTPCacheStore {
    private let limit: Int
    /// The last one first.
    private var stored: [(key: HTTPCacheKey, response: StoredResponse)] = []

    init(limit: Int) {
        self.limit = limit
    }

    nonisolated var isDurable: Bool { false }

    func responses(for key: HTTPCacheKey) -> [StoredResponse] {
        stored.filter { $0.key == key }.map(\.response)
    }

    func insert(_ response: StoredResponse, for key: HTTPCacheKey, replacing ids: [StoredResponse.ID]) -> Bool {
        stored.removeAll { ids.contains($0.response.id) }
        stored.insert((key, response), at: 0)
        stored.removeLast(max(0, stored.count - limit))
        return true
    }

    func remove(_ removal: HTTPCacheRemoval) {
        switch removal {
        case .responses(let ids, let key): stored.removeAll { $0.key == key && ids.contains($0.response.id) }
        case .uri(let uri): stored.removeAll { $0.key.uri == uri }
        case .prefix(let prefix): stored.removeAll { $0.key.uri.utf8.starts(with: prefix.utf8) }
        }
    }

    func removeAll() {
        stored = []
    }
}
