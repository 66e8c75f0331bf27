import Synchronization

/// A source of data that knows what is read from it and written to it, such as a database.
///
/// A cache that tracks a source needs no rules for it: a value is stale when something was written that its handler has
/// read.
public protocol TrackedSource: Sendable {
    /// Connects the source with the caches that track it.
    var tracker: DataTracker { get }
}

/// Tells caches what is read from one source, and what is written to it.
public final class DataTracker: Sendable {
    private struct Reference {
        weak var follower: (any DataFollower)?
    }

    /// The caches that follow a source and its parts.
    private final class References: Sendable {
        let all = Mutex<[Reference]>([])
        let areTold = Atomic(true)
    }

    /// The number of parts at which further ones are one.
    private static let limit = 1_024

    /// The name of the source, which is the same in all processes.
    package let name: String
    /// The name of the source that this one is a part of.
    package let parent: String?
    /// Whether the source is a server, whose other clients write to it unseen.
    package let isRemote: Bool
    private let references: References
    private let parts = Mutex<[String: DataTracker]>([:])

    package init(_ name: String, isRemote: Bool = false, in parent: DataTracker? = nil) {
        self.name = name
        self.isRemote = isRemote
        self.parent = parent?.name
        references = parent?.references ?? References()
        if !isRemote { DataUse.begin() }
    }

    /// A source that is reached through this one, such as the database of another node.
    package func part(named name: String) -> DataTracker {
        parts.withLock { parts in
            let name = parts[name] == nil && parts.count >= Self.limit ? "others" : name
            let part = parts[name] ?? DataTracker(name, in: self)
            parts[name] = part
            return part
        }
    }

    package var hasParts: Bool { parts.withLock { !$0.isEmpty } }

    /// Whether events notify the caches of writes of others.
    package var isTold: Bool {
        get { references.areTold.load(ordering: .acquiring) }
        set { references.areTold.store(newValue, ordering: .releasing) }
    }

    package func follow(_ follower: any DataFollower) {
        references.all.withLock { references in
            references.removeAll { $0.follower == nil }
            references.append(Reference(follower: follower))
        }
    }

    private var followers: [any DataFollower] { references.all.withLock { $0.compactMap(\.follower) } }

    /// Notes what was read, and what about it nobody can track.
    package func noteRead(_ names: Set<DataName>, door: String? = nil, by owner: DataOwner) {
        switch owner {
        case .use(let use): use.noteRead(names, door: door, ends: 1)
        case .nobody: break
        case .unknown: DataUse.charge(.init(source: self, reads: names, door: door), toLoads: true)
        }
    }

    /// Makes what was read stale for everybody, after a commit.
    ///
    /// - Parameters:
    ///   - owner: The work that has committed.
    ///   - narrows: Whether ``endNarrowing(by:)`` follows, so that rules of the command may say what it has changed.
    ///   - version: The version that the commit has led to in a cache elsewhere.
    package func noteCommit(
        _ names: Set<DataName>,
        by owner: DataOwner,
        narrows: Bool = false,
        _ version: CacheVersion? = nil
    ) {
        switch owner {
        case .use(let use): use.noteWrite(names)
        case .nobody: break
        case .unknown: DataUse.charge(.init(source: self, writes: names), toLoads: false)
        }
        for follower in followers { follower.invalidate(names, by: owner.use, narrows: narrows, version) }
    }

    /// Carries out the rules of the command that has committed, before its `write` returns.
    package func endNarrowing(by writer: DataUse) {
        for follower in followers { follower.narrow(by: writer) }
    }
}

/// A cache that tracks sources.
package protocol DataFollower: AnyObject, Sendable {
    /// Makes values stale that were made from what was written.
    ///
    /// - Parameters:
    ///   - writer: The work that has written it; nil for other work.
    ///   - narrows: Whether ``narrow(by:)`` follows for the values that rules of its command concern.
    ///   - version: The version that later loads must have.
    func invalidate(_ names: Set<DataName>, by writer: DataUse?, narrows: Bool, _ version: CacheVersion?)
    func narrow(by writer: DataUse)
}
