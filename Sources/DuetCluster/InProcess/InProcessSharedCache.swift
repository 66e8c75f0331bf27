import Foundation
import Synchronization

/// Keeps entries for the nodes of a cluster in this process.
struct InProcessSharedCache: SharedCache {
    private let hub: InProcessHub
    private let connection: InProcessConnection

    init(_ hub: InProcessHub, _ connection: InProcessConnection) {
        self.hub = hub
        self.connection = connection
    }

    func entry(for key: String) async throws -> SharedEntry? {
        try connection.check()
        return hub.entries.entry(for: key)
    }

    func insert(
        _ envelope: Envelope,
        for key: String,
        lifetime: Duration,
        ifRevision: UInt64?
    ) async throws -> UInt64? {
        try connection.check()
        try hub.limit.check(envelope)
        return hub.entries.insert(envelope, for: key, lifetime: lifetime, ifRevision: ifRevision)
    }

    func remove(_ key: String) async throws {
        try connection.check()
        hub.entries.remove(key)
    }
}

/// The entries of a cluster in this process, of which the oldest are dropped when there are too many bytes.
final class InProcessEntries: Sendable {
    private struct Stored: Sendable {
        let entry: SharedEntry
        let expiry: Duration
        let size: Int
    }

    private struct State: Sendable {
        var entries: [String: Stored] = [:]
        /// The keys in the order of their entries, with keys of entries that are gone.
        var order = FIFOQueue<(key: String, revision: UInt64)>()
        var size = 0
        var revision: UInt64 = 0

        mutating func remove(_ key: String) {
            size -= entries.removeValue(forKey: key)?.size ?? 0
        }

        /// Drops the oldest entries until the others fit.
        mutating func drop(to limit: Int) {
            while size > limit, let oldest = order.popFirst() {
                if entries[oldest.key]?.entry.revision == oldest.revision { remove(oldest.key) }
            }
            guard order.count > 2 * entries.count + 64 else { return }
            let entries = entries
            order.removeAll { entries[$0.key]?.entry.revision != $0.revision }
        }
    }

    private let limit: Int
    private let timers: ClusterTimers
    private let state = Mutex(State())

    init(size: Int, timers: ClusterTimers) {
        limit = size
        self.timers = timers
    }

    func entry(for key: String) -> SharedEntry? {
        let time = timers.elapsed()
        return state.withLock { state in
            guard let stored = state.entries[key], stored.expiry > time else { return nil }
            return stored.entry
        }
    }

    func insert(_ envelope: Envelope, for key: String, lifetime: Duration, ifRevision: UInt64?) -> UInt64? {
        let time = timers.elapsed()
        return state.withLock { state in
            if let expected = ifRevision {
                let current = state.entries[key].flatMap { $0.expiry > time ? $0.entry.revision : nil } ?? 0
                guard current == expected else { return nil }
            }
            state.remove(key)
            state.revision += 1
            let size = envelope.size + key.utf8.count
            let entry = SharedEntry(envelope: envelope, revision: state.revision)
            state.entries[key] = Stored(entry: entry, expiry: time + lifetime, size: size)
            state.order.append((key, state.revision))
            state.size += size
            state.drop(to: limit)
            return state.revision
        }
    }

    func remove(_ key: String) {
        state.withLock { $0.remove(key) }
    }
}
