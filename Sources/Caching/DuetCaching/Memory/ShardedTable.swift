import Duet
import Synchronization

/// The entries of one query, in several tables with a lock each, so that threads seldom wait for each other.
final class ShardedTable: Sendable {
    /// One of the tables, with the number of its hits.
    ///
    /// Its size keeps the locks and counters of two shards in different cache lines of the processor, so that threads
    /// do not wait for each other.
    final class Shard: Sendable {
        fileprivate let table = Mutex(EntryTable())
        private let hitCount = Atomic(0)
        private let padding: (Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0)

        func candidate(hash: Int) -> EntryTable.Object? {
            table.withLock { $0.candidate(hash: hash) }
        }

        var hits: Int { hitCount.load(ordering: .relaxed) }

        @inline(__always)
        func addHit() { hitCount.add(1, ordering: .relaxed) }
    }

    private static let shardCount = 16

    private let shards = (0..<ShardedTable.shardCount).map { _ in Shard() }

    /// The high bits choose the shard, because the table uses the low ones.
    @inline(__always)
    func shard(_ hash: Int) -> Shard { shards[Int(UInt(bitPattern: hash) >> 60)] }

    func object(hash: Int, where isWanted: (EntryTable.Object) -> Bool) -> EntryTable.Object? {
        shard(hash).table.withLock { $0.object(hash: hash, where: isWanted) }
    }

    func insert(
        _ object: EntryTable.Object,
        hash: Int,
        replacing isReplaced: (EntryTable.Object) -> Bool
    ) -> EntryTable.Object? {
        shard(hash).table.withLock { $0.insert(object, hash: hash, replacing: isReplaced) }
    }

    func remove(_ object: EntryTable.Object, hash: Int) -> Bool {
        shard(hash).table.withLock { $0.remove(object, hash: hash) }
    }

    func removeAll() -> [EntryTable.Object] {
        shards.flatMap { $0.table.withLock { $0.removeAll() } }
    }

    func forEach(_ body: (EntryTable.Object) -> Void) {
        for shard in shards {
            for object in shard.table.withLock({ Array($0.all) }) { body(object) }
        }
    }

    var hits: Int { shards.reduce(0) { $0 + $1.hits } }
}

struct Entries<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    private let table = ShardedTable()

    var hits: Int { table.hits }

    @inline(__always)
    func shard(_ hash: Int) -> ShardedTable.Shard { table.shard(hash) }

    @inline(__always)
    func entry(hash: Int, query: Q, scope: String?, in shard: ShardedTable.Shard) -> Entry<Q>? {
        guard let object = shard.candidate(hash: hash) else { return nil }
        if Self.isEntry(object, of: query, scope) { return Self.entry(object) }
        return table.object(hash: hash) { Self.isEntry($0, of: query, scope) }.map(Self.entry)
    }

    func entry(hash: Int, query: Q, scope: String?) -> Entry<Q>? {
        entry(hash: hash, query: query, scope: scope, in: shard(hash))
    }

    /// Adds an entry, and returns the one that it replaces.
    func insert(_ entry: Entry<Q>, hash: Int) -> Entry<Q>? {
        table.insert(entry, hash: hash) { object in
            Self.isEntry(object, of: entry.query, entry.scope) || Self.entry(object).isLost(beside: entry)
        }
        .map(Self.entry)
    }

    @discardableResult
    func remove(_ entry: Entry<Q>) -> Bool { table.remove(entry, hash: entry.hash) }

    func removeAll() -> [Entry<Q>] { table.removeAll().map(Self.entry) }

    func forEach(_ body: (Entry<Q>) -> Void) { table.forEach { body(Self.entry($0)) } }

    @inline(__always)
    private static func isEntry(_ object: EntryTable.Object, of query: Q, _ scope: String?) -> Bool {
        let entry = entry(object)
        return entry.query == query && entry.scope == scope
    }

    /// The table contains only entries of its query.
    @inline(__always)
    private static func entry(_ object: consuming EntryTable.Object) -> Entry<Q> {
        unsafe unsafeDowncast(object, to: Entry<Q>.self)
    }
}

extension Entry {
    /// Whether no query can find this entry, because another one of the same text has the same hash and is not equal:
    /// an array with a NaN is equal only to itself and its copies.
    fileprivate func isLost(beside other: Entry) -> Bool {
        scope == other.scope && hash == other.hash && String(reflecting: query) == String(reflecting: other.query)
    }
}
