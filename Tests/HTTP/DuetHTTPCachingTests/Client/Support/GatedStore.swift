import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Synchronization

/// A store in memory whose insertions wait for a test.
final class GatedStore: HTTPCacheStore {
    private let memory = InMemoryHTTPCacheStore()
    private let insertion: Gate
    /// Holds the first lookup after it has read the responses.
    private let find: Mutex<Gate?>
    private let lines = Mutex<[String]>([])

    init(insert: Gate, find: Gate? = nil) {
        insertion = insert
        self.find = Mutex(find)
    }

    var log: [String] { lines.withLock { $0 } }
    var isDurable: Bool { false }

    private func note(_ line: String) { lines.withLock { $0.append(line) } }

    func responses(for key: HTTPCacheKey) async throws -> [StoredResponse] {
        let responses = memory.responses(for: key)
        try await find.withLock { $0.take() }?.pass()
        return responses
    }

    func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) async throws -> Bool {
        try await insertion.pass()
        note("insert")
        return memory.insert(response, for: key, replacing: ids)
    }

    func remove(_ removal: HTTPCacheRemoval) {
        if case .uri(let uri) = removal { note("remove \(uri)") }
        memory.remove(removal)
    }

    func removeAll() { memory.removeAll() }
}
