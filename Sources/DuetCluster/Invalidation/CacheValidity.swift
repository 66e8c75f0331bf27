import DuetCaching
import Foundation

/// Values of a shared cache that an event has made stale.
enum InvalidValues: Sendable {
    case keys(Set<CacheKey>)
    case some(query: String, @Sendable (CacheKey) -> Bool)
    case query(String)
    case tag(String)
    case everything

    func contains(_ key: CacheKey, tags: [String]) -> Bool {
        switch self {
        case .keys(let keys): keys.contains(key)
        case .some(let query, let isMeant): key.query == query && isMeant(key)
        case .query(let name): key.query == name
        case .tag(let tag): tags.contains(tag)
        case .everything: true
        }
    }
}

/// Decides which values of a shared cache may be served, by the positions of their loads.
struct CacheValidity: Sendable {
    private struct Invalidation: Sendable {
        let id: Int
        let values: InvalidValues
        /// Values whose load began earlier are stale; the maximum until the position is known.
        var position: UInt64
    }

    /// The number of invalidations at which the oldest ones concern everything.
    private static let limit = 512

    /// What concerns whole queries, tags or everything: the last position of each.
    private var queries: [String: UInt64] = [:]
    private var tags: [String: UInt64] = [:]
    private var everything: UInt64 = 0
    private var others: [Invalidation] = []
    private var lastID = 0
    /// The last invalidation that has a position, as have all before it.
    private var lastEndedID = 0
    /// The positions that had been reached when the epochs of the cache began, in ascending order.
    private var reached: [(epoch: Int, position: UInt64)] = []

    private var writer: UUID?

    /// The cache and its epoch when it had carried out the last event; nil if it does not follow the events.
    var current: (writer: UUID, epoch: Int)? { writer.flatMap { writer in reached.last.map { (writer, $0.epoch) } } }

    /// Notes that a cache has an epoch, and had carried out all events up to a position before.
    mutating func note(_ position: UInt64, epoch: Int, of writer: UUID) {
        self.writer = writer
        // An event that this node has not seen may have made earlier values stale.
        if reached.isEmpty { everything = max(everything, position) }
        if reached.last?.epoch == epoch {
            reached[reached.count - 1].position = position
        } else {
            reached.append((epoch, position))
        }
        if reached.count > Self.limit { reached.removeFirst(Self.limit / 2) }
    }

    /// The position that was reached when a load began in an epoch; nil if it began before everything that is known.
    func position(ofEpoch epoch: Int) -> UInt64? { reached.last { $0.epoch <= epoch }?.position }

    func isValid(_ key: CacheKey, tags: [String], position: UInt64) -> Bool {
        position >= everything && position >= queries[key.query] ?? 0
            && tags.allSatisfy { position >= self.tags[$0] ?? 0 }
            && !others.contains { position < $0.position && $0.values.contains(key, tags: tags) }
    }

    mutating func invalidate(_ values: InvalidValues, before position: UInt64) {
        switch values {
        case .query(let name): queries[name] = max(queries[name] ?? 0, position)
        case .tag(let tag): tags[tag] = max(tags[tag] ?? 0, position)
        case .everything: everything = max(everything, position)
        case .keys, .some: add(values, position)
        }
        prune()
    }

    /// Notes an invalidation whose position is not known yet, so that it concerns all values of the shared cache.
    ///
    /// - Returns: Its number; later ones have higher numbers.
    mutating func beginInvalidation(_ values: InvalidValues) -> Int {
        guard others.count(where: { $0.position == .max }) < Self.limit else {
            others.removeAll { $0.position == .max }
            return add(.everything, .max)
        }
        return add(values, .max)
    }

    /// The last invalidation whose position is not known yet.
    var lastPendingID: Int? { others.last { $0.position == .max }?.id }

    func isPending(_ id: Int) -> Bool { id > lastEndedID }

    /// Notes a position that all nodes reach after the invalidations up to a number have begun.
    mutating func endInvalidations(through id: Int, before position: UInt64) {
        let ended = others.filter { $0.position == .max && $0.id <= id }
        others.removeAll { $0.position == .max && $0.id <= id }
        lastEndedID = max(lastEndedID, id)
        for invalidation in ended { invalidate(invalidation.values, before: position) }
    }

    /// Forgets everything: the next position that is noted follows all that has happened.
    mutating func reset() {
        let id = lastID
        self = CacheValidity()
        (lastID, lastEndedID) = (id, id)
    }

    @discardableResult
    private mutating func add(_ values: InvalidValues, _ position: UInt64) -> Int {
        lastID += 1
        others.append(Invalidation(id: lastID, values: values, position: position))
        return lastID
    }

    /// Keeps the number of invalidations limited: the older half then concerns everything.
    private mutating func prune() {
        guard queries.count + tags.count + others.count > Self.limit else { return }
        let known = others.map(\.position).filter { $0 < .max }
        let positions = (Array(queries.values) + Array(tags.values) + known).sorted()
        guard !positions.isEmpty else { return }
        everything = max(everything, positions[positions.count / 2])
        queries = queries.filter { $0.value > everything }
        tags = tags.filter { $0.value > everything }
        others.removeAll { $0.position <= everything }
    }
}
