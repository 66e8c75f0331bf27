import DuetHTTPCaching
import Synchronization

/// What was used and is not written yet, in the order of the last uses.
final class PendingUses: Sendable {
    /// How many are remembered.
    private static let limit = 256

    private let order = Mutex(UseOrder<HTTPCacheEntry.ID>())

    /// Adds a use, and says whether there are so many that they should be written.
    func add(_ id: HTTPCacheEntry.ID) -> Bool {
        order.withLock { order in
            order.use(id)
            return order.count >= Self.limit
        }
    }

    /// Has all of them written, the earliest first.
    func write<Value>(_ body: (_ ids: [HTTPCacheEntry.ID]) async throws -> Value) async rethrows -> Value {
        let ids = order.withLock { Self.take(&$0) }
        do {
            return try await body(ids)
        } catch {
            order.withLock { order in
                for id in ids + Self.take(&order) { order.use(id) }
                guard order.count >= Self.limit else { return }
                // Half of them, the latest, so that it is not tried again with each one that comes.
                while order.count > Self.limit / 2, let id = order.first { order.remove(id) }
            }
            throw error
        }
    }

    /// Forgets all of them.
    func removeAll() {
        order.withLock { $0 = UseOrder() }
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
