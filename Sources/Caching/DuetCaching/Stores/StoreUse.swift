import Duet
import Synchronization

/// The uses of stores by the caches of this process.
///
/// Two caches of one store know nothing of each other otherwise, and would read each other's values.
private let uses = Mutex<[String: [StoreUse.Reference]]>([:])

/// The types of the queries whose values a cache keeps in a store, for as long as the cache exists.
final class StoreUse: Sendable {
    fileprivate struct Reference {
        weak let use: StoreUse?
    }

    private let types: [String: ObjectIdentifier]

    private init(_ types: [String: ObjectIdentifier]) {
        self.types = types
    }

    /// Begins the use of a store, unless another cache of this process keeps values of another type under a name.
    ///
    /// - Returns: The use; nil for a store whose location is unknown. And the faults, with which there is no use.
    static func begin(_ memory: CacheMemory, _ caches: [CacheRule.AnyCache]) -> (StoreUse?, faults: [String]) {
        guard let location = memory.store?.store.location else { return (nil, []) }
        let types = Dictionary(caches.filter(\.isStored).map { ($0.queryName, $0.query) }) { first, _ in first }
        return uses.withLock { uses in
            uses = uses.compactMapValues { references in
                let living = references.filter { $0.use != nil }
                return living.isEmpty ? nil : living
            }
            let others = (uses[location] ?? []).compactMap { $0.use?.types }
            let names = types.filter { name, type in others.contains { $0[name] ?? type != type } }.keys.sorted()
            guard names.isEmpty else {
                let fault = "Another cache of this store keeps values of another query with the name"
                return (nil, names.map { "\(fault) \($0). Declare another messageName in one of them." })
            }
            let use = StoreUse(types)
            uses[location, default: []].append(Reference(use: use))
            return (use, [])
        }
    }
}
