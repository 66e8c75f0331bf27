import Duet
import Synchronization

/// The entries of one query, in several tables with a lock each, so that threads seldom wait for each other.
final class ShardedTable<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    private final class Shard: Sendable {
        let table = Mutex(EntryTable<Q>())
    }

    private static var shardCount: Int { 16 }

    private let shards = (0..<ShardedTable.shardCount).map { _ in Shard() }

    /// The high bits choose the shard, because the table uses the low ones.
    @inline(__always)
    private func shard(_ hash: Int) -> Shard { shards[Int(UInt(bitPattern: hash) >> 60)] }

    @inline(__always)
    func entry(hash: Int, query: Q, scope: String?) -> Entry<Q>? {
        shard(hash).table.withLock { $0.entry(hash: hash, query: query, scope: scope) }
    }

    func insert(_ entry: Entry<Q>) -> Entry<Q>? {
        shard(entry.hash).table.withLock { $0.insert(entry) }
    }

    @discardableResult
    func remove(_ entry: Entry<Q>) -> Bool {
        shard(entry.hash).table.withLock { $0.remove(entry) }
    }

    func removeAll() -> [Entry<Q>] {
        shards.flatMap { $0.table.withLock { $0.removeAll() } }
    }

    func forEach(_ body: (Entry<Q>) -> Void) {
        for shard in shards {
            for entry in shard.table.withLock({ Array($0.entries) }) { body(entry) }
        }
    }

    var count: Int { shards.reduce(0) { $0 + $1.table.withLock(\.count) } }
}
