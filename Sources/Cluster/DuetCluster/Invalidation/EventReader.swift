import Duet
import DuetCaching
import DuetClusterEngine

/// Carries out the events of all nodes in the caches of one.
struct EventReader {
    let messages: MessageList
    let caches: [QueryCache]
    let source: ClusterSource
    let node: String
    let positions: Positions

    /// The name of a cache of a node in the events of its invalidations, which it has carried out itself.
    static func origin(of cache: Int, _ node: String) -> String { "\(node) \(cache)" }

    func applyEverything(_ version: CacheVersion?) {
        source.note(nil, by: .nobody, version)
        for cache in caches { cache.apply(.everything, version) }
    }

    func apply(_ event: ClusterEvent, _ version: CacheVersion?) {
        switch event {
        case .commandEnded(let position, let invalidation, let writes, let origin):
            // The caches of the node that handled the command have carried out its rules.
            let others = origin == node ? [] : caches
            let command = invalidation?.command(in: messages)
            if invalidation != nil || writes != nil {
                // An earlier attempt may have written on a node that did not tell.
                note(writes, by: command, version, in: writes == DataNames.everything ? caches : others)
            }
            for cache in others {
                guard let invalidation else { break }
                // Names say enough about a command that this node does not know.
                if let writes, writes != DataNames.everything, case .command(let name, _) = invalidation,
                    messages[name] == nil, !cache.trackers.isEmpty
                {
                    continue
                }
                cache.apply(invalidation.local(command), version)
            }
            positions.note(position)
        case .invalidation(.writes(let names), let origin):
            note(names, by: nil, version, in: origin == node ? [] : caches)
        case .invalidation(let invalidation, let origin):
            let local = invalidation.local(invalidation.command(in: messages))
            for (number, cache) in caches.enumerated() where origin != Self.origin(of: number, node) {
                cache.apply(local, version)
            }
        case .marker: break
        case .unknown:
            // A later version may have made anything stale.
            applyEverything(version)
        }
    }

    /// - Parameter command: The command whose rules narrow.
    private func note(
        _ writes: String?,
        by command: (any Command)?,
        _ version: CacheVersion?,
        in caches: [QueryCache]
    ) {
        // Most events name nothing.
        if writes?.isEmpty == true { return }
        guard let writes else { return source.noteUnknown(version, in: caches) }
        let owner = command.map { DataOwner.use(DataUse(.command($0), in: nil)) } ?? .nobody
        source.note(DataNames(writes), by: owner, version, in: caches)
    }
}

extension RemoteInvalidation {
    /// The command, if the node lists it and can read it.
    fileprivate func command(in messages: MessageList) -> (any Command)? {
        guard case .command(let name, let body) = self else { return nil }
        return try? messages[name]?.command(from: body)
    }

    /// The invalidation for the caches of this node.
    ///
    /// - Parameter command: The command; nil for one that may have made anything stale.
    fileprivate func local(_ command: (any Command)?) -> Invalidation {
        switch self {
        case .command: command.map { .command($0) } ?? .everything
        case .query(let name): .query(name: name)
        case .tag(let tag): .tag(tag)
        case .writes, .everything: .everything
        }
    }
}
