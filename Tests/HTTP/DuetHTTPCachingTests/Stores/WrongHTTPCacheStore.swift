import DuetHTTPCaching
import Foundation

/// A store that does one thing wrong.
struct WrongHTTPCacheStore: HTTPCacheStore {
    enum Fault: CaseIterable {
        case mixesPartitions, reversesOrder, cutsBodies, dropsEmptyBodies, keepsReplaced, dropsOthers, refuses
        case replacesInTwoSteps, removesWholeKeys, removesPrefixes, removesOnePartition, ignoresPrefixes
        case removesNothing, saysItIsDurable
    }

    let fault: Fault
    let store = InMemoryHTTPCacheStore()

    var isDurable: Bool { fault == .saysItIsDurable }

    func responses(for key: HTTPCacheKey) async throws -> [StoredResponse] {
        let responses = store.responses(for: stored(key))
        return switch fault {
        case .reversesOrder: responses.reversed()
        case .cutsBodies: responses.map { $0.with($0.body.prefix(1_000_000)) }
        case .dropsEmptyBodies: responses.filter { !$0.body.isEmpty }
        default: responses
        }
    }

    func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) async throws -> Bool {
        let key = stored(key)
        switch fault {
        case .keepsReplaced: return store.insert(response, for: key, replacing: [])
        case .dropsOthers: return store.insert(response, for: key, replacing: store.responses(for: key).map(\.id))
        case .refuses: return false
        case .replacesInTwoSteps:
            store.remove(.responses(ids, of: key))
            for _ in 0..<20 { await Task.yield() }
            return store.insert(response, for: key, replacing: [])
        default: return store.insert(response, for: key, replacing: ids)
        }
    }

    func remove(_ removal: HTTPCacheRemoval) async throws {
        switch (fault, removal) {
        case (.removesWholeKeys, .responses(_, let key)):
            store.remove(.responses(store.responses(for: key).map(\.id), of: key))
        case (.removesOnePartition, .uri(let uri)):
            let key = HTTPCacheKey(uri: uri)
            store.remove(.responses(store.responses(for: key).map(\.id), of: key))
        case (.removesPrefixes, .uri(let uri)): store.remove(.prefix(uri))
        case (.ignoresPrefixes, .prefix): break
        default: store.remove(removal)
        }
    }

    func removeAll() async throws {
        if fault != .removesNothing { store.removeAll() }
    }

    private func stored(_ key: HTTPCacheKey) -> HTTPCacheKey {
        fault == .mixesPartitions ? HTTPCacheKey(uri: key.uri) : key
    }
}
