/// An error that lists the faults of the rules of a cache.
public struct InvalidCacheRules: Error, Hashable, CustomStringConvertible {
    package let faults: [String]

    /// The faults, one per line.
    public var description: String {
        (["The rules of the cache cannot be used:"] + faults.map { "- \($0)" }).joined(separator: "\n")
    }

    init?(
        caches: [CacheRule.AnyCache],
        invalidations: [Invalidate],
        updates: [OptimisticUpdate],
        memory: CacheMemory,
        tracking sources: [String],
        others: [String]
    ) {
        var faults = others
        if memory.limit.capacity < 1 { faults.append("The memory has no room: its limit is \(memory.limit.capacity).") }
        var seen: Set<ObjectIdentifier> = []
        for cache in caches {
            faults += cache.faults.map { "\(cache.queryName): \($0)" }
            if !seen.insert(cache.query).inserted { faults.append("\(cache.queryName) has two Cache rules. Keep one.") }
            if cache.isTracked, sources.isEmpty {
                faults.append(
                    "\(cache.queryName) has no policy, and the cache tracks no source. Add a policy, such as .maxAge(.minutes(1)), or track what its handler reads: .caching(in: …, tracking: …)."
                )
            }
            if !memory.limit.countsEntries, !cache.hasWeight {
                faults.append(
                    "\(cache.queryName) has no weight, but the memory is limited by weight. Add one: weight: \\.count."
                )
            }
            if cache.isStored, memory.store == nil {
                faults.append(
                    "\(cache.queryName) is stored, but the memory has no store. Add one: .memory(…).backed(by: …), or remove .stored."
                )
            }
        }
        if memory.store != nil, !caches.contains(where: \.isStored) {
            faults.append(
                "Nothing is kept in the store. Add .stored(version: 1) to a Cache rule, or remove .backed(by:)."
            )
        }
        for rule in invalidations where rule.usesTags && !caches.contains(where: \.hasTags) {
            faults.append(
                "No query has tags, so this rule has no effect: \(rule). Add tags to a Cache rule: tags: { … }."
            )
        }
        for rule in invalidations {
            guard let query = rule.query, !seen.contains(query.id) else { continue }
            faults.append(
                "\(query.name) is invalidated but not cached. Add Cache(\(query.name).self, …), or remove its rule: \(rule)."
            )
        }
        faults += Dictionary(grouping: sources) { $0 }.filter { $0.value.count > 1 }.keys.sorted().map {
            "Two tracked sources have the name \($0). Give one of them another name."
        }
        faults += Self.faults(of: updates, caches, invalidations, areTracked: !sources.isEmpty)
        guard !faults.isEmpty else { return nil }
        self.faults = faults
    }

    private static func faults(
        of updates: [OptimisticUpdate],
        _ caches: [CacheRule.AnyCache],
        _ invalidations: [Invalidate],
        areTracked: Bool
    ) -> [String] {
        var faults: [String] = []
        for (index, update) in updates.enumerated() {
            let (query, command) = (update.query, update.command)
            guard let cache = caches.first(where: { $0.query == query.id }) else {
                faults.append(
                    "\(query.name) is updated optimistically but not cached. Add Cache(\(query.name).self, …), or remove its rule: \(update)."
                )
                continue
            }
            if updates[..<index].contains(where: { $0.query.id == query.id && $0.command.id == command.id }) {
                faults.append(
                    "\(query.name) has two OptimisticUpdate rules for \(command.name). Make both changes in one rule."
                )
                continue
            }
            if !areTracked, !invalidations.contains(where: { $0.covers(cache, after: command.id) }) {
                faults.append(
                    "\(query.name) is updated optimistically by \(command.name), but not loaded again after it. Add Invalidate(\(query.name).self, after: \(command.name).self)."
                )
            }
        }
        return faults
    }
}

extension Invalidate {
    /// Whether a command may invalidate values of a query.
    fileprivate func covers(_ cache: CacheRule.AnyCache, after command: ObjectIdentifier) -> Bool {
        guard commands.contains(where: { $0.id == command }) else { return false }
        return query.map { $0.id == cache.query } ?? (!usesTags || cache.hasTags)
    }
}

/// The faults of messages with equal names, by which stores, queues and clusters know them.
func namingFaults(of messages: [(id: ObjectIdentifier, name: String)]) -> [String] {
    var types: [String: ObjectIdentifier] = [:]
    var reported: Set<String> = []
    return messages.compactMap { message in
        let type = types[message.name] ?? message.id
        types[message.name] = type
        guard type != message.id, reported.insert(message.name).inserted else { return nil }
        return "Two messages have the name \(message.name). Declare another messageName in one of them."
    }
}
