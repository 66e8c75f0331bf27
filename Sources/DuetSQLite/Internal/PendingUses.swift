import DuetHTTPCaching
import Synchronization

/// What was used and is not written yet, in the order of the last uses.
final class PendingUses: Sendable {
    private let order = Mutex(UseOrder<HTTPCacheEntry.ID>())

    /// Adds a use; all of them, when there are that many.
    func add(_ id: HTTPCacheEntry.ID, limit: Int) -> [HTTPCacheEntry.ID]? {
        order.withLock { order in
            order.use(id)
            return order.count < limit ? nil : Self.take(&order)
        }
    }

    /// All of them, the earliest first.
    func take() -> [HTTPCacheEntry.ID] {
        order.withLock { Self.take(&$0) }
    }

    private static func take(_ order: inout UseOrder<HTTPCacheEntry.ID>) -> [HTTPCacheEntry.ID] {
        var ids: [HTTPCacheEntry.ID] = []
        while let id = order.first {
            order.remove(id)
            ids.append(id)
        }
        return ids
    }
}
