import DuetHTTPCaching
import Synchronization

/// Which bodies are being read here, and which were removed meanwhile and stay until their readers end.
final class BodyReaders: Sendable {
    private struct State {
        var counts: [HTTPCacheEntry.ID: Int] = [:]
        var hidden: Set<HTTPCacheEntry.ID> = []
    }

    private let state = Mutex(State())

    func begin(_ id: HTTPCacheEntry.ID) {
        state.withLock { $0.counts[id, default: 0] += 1 }
    }

    /// Counts one reader less; true when it was the last one of a body that was removed.
    func end(_ id: HTTPCacheEntry.ID) -> Bool {
        state.withLock { state in
            let count = (state.counts[id] ?? 0) - 1
            state.counts[id] = count > 0 ? count : nil
            return count <= 0 && state.hidden.remove(id) != nil
        }
    }

    func hide(_ ids: some Sequence<HTTPCacheEntry.ID>) {
        state.withLock { $0.hidden.formUnion(ids) }
    }

    /// The removed bodies that nobody reads, each of them once.
    func takeUnread() -> [HTTPCacheEntry.ID] {
        state.withLock { state in
            let unread = state.hidden.filter { state.counts[$0] == nil }
            state.hidden.subtract(unread)
            return Array(unread)
        }
    }
}
