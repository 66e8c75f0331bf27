import Duet
import DuetCaching
import DuetClusterEngine
import Synchronization

/// The tracked sources of all nodes of a cluster as one source, whose parts they are.
///
/// Replies name what a node has read or written, and events what all nodes have written. A name has the same source,
/// table and part in all processes.
final class ClusterSource: Sendable {
    private struct Reference {
        weak var source: ClusterSource?
    }

    private static let known = Mutex<[UInt64: Reference]>([:])

    let tracker: DataTracker
    /// Kept, so that no other engine has its identity.
    private let engine: any ClusterEngine
    /// The number of nodes in this process that follow the events.
    private let followers = Mutex(0)

    private init(_ engine: any ClusterEngine) {
        tracker = DataTracker("cluster \(engine.identity ?? 0)", isRemote: true)
        tracker.isTold = false
        self.engine = engine
    }

    /// The source of all senders and nodes of this process that use one engine.
    static func of(_ engine: any ClusterEngine) -> ClusterSource {
        guard let identity = engine.identity else { return ClusterSource(engine) }
        return known.withLock { known in
            if let found = known[identity]?.source { return found }
            known = known.filter { $0.value.source != nil }
            let new = ClusterSource(engine)
            known[identity] = Reference(source: new)
            return new
        }
    }

    /// Counts a node that follows the events from now on, or no longer.
    func addFollower(_ number: Int) {
        followers.withLock { count in
            count += number
            tracker.isTold = count > 0
        }
        // Nobody has heard of what was written before, or will hear of what is written from now on.
        note(nil, by: .nobody)
    }

    /// Notes for the current load what a reply was made from.
    func noteRead(_ text: String?, of message: String) {
        // From now on, a server of this process has something to pass on.
        if text != nil { DataUse.begin() }
        guard let use = DataUse.current else { return }
        guard let names = DataNames(text)?.found(in: tracker.part) else {
            return use.noteRead([tracker.anything, tracker.everything], door: "\(message) at another node")
        }
        use.noteRead(names.union(Set(names.map(\.source.everything)) + [tracker.everything]))
    }

    /// Makes stale what a command has changed that this process has sent.
    func noteWrite(_ text: String?, _ version: CacheVersion?) {
        guard text == nil else { return note(DataNames(text), by: .current, version) }
        // A server of this process that tracks nothing says nothing about it.
        DataUse.current?.noteWrite(nil)
        noteUnknown(version)
    }

    /// Makes everything stale after a command of a node that names nothing.
    ///
    /// If no node has named anything, the values stay under rules and ages.
    func noteUnknown(_ version: CacheVersion?, in caches: [QueryCache] = []) {
        if tracker.hasParts { note(nil, by: .nobody, version, in: caches) }
    }

    /// Makes stale what was written.
    ///
    /// - Parameters:
    ///   - written: Nil if it is not known.
    ///   - caches: Caches whose sources with the same names another node has written to.
    func note(
        _ written: DataNames?,
        by owner: DataOwner,
        _ version: CacheVersion? = nil,
        in caches: [QueryCache] = []
    ) {
        let found = written?.found(in: tracker.part)
        if found?.isEmpty == true { return }
        let writer = found.flatMap { _ in owner.use }
        let names = (found ?? [tracker.everything]).union([tracker.anything])
        tracker.noteCommit(names, by: owner, narrows: writer != nil, version)
        if let writer { tracker.endNarrowing(by: writer) }
        for cache in caches {
            let trackers = cache.trackers.filter { !$0.isRemote }
            let found =
                written?.found { name in trackers.first { $0.name == name } }
                ?? Set(trackers.flatMap { [$0.everything, $0.anything] })
            if found.isEmpty { continue }
            cache.invalidate(found, by: writer, narrows: writer != nil, version)
            if let writer { cache.narrow(by: writer) }
        }
    }
}
