package import Duet
import Synchronization

extension CachedQuery {
    /// Runs the handler of a load, and gives the load the tags of what it reads from tracked sources.
    func tracking<Value>(_ load: Running, _ body: () async throws -> Value) async throws -> Value {
        guard core.data.isTracking else { return try await body() }
        let use = DataUse(.load(LoadChain.current))
        defer {
            let record = use.record
            load.addTags(
                core.data.tags(of: record, query: index),
                isOwnWrite: !record.writes.isDisjoint(with: record.reads)
            )
        }
        return try await use.run(body)
    }

    /// Notes for the load of the current task, whose handler got a value, what that value was made from.
    @inline(__always)
    func noteUse(of tags: @autoclosure () -> [Tag]) {
        if DataUse.areUsed { DataUse.current?.noteReads { noteUse(of: tags(), in: &$0) } }
    }

    /// As ``noteUse(of:)`` for the tags of an entry.
    @inline(__always)
    func noteUseByLoad(of entry: Entry<Q>) {
        if DataUse.areUsed { DataUse.current?.noteUse(of: KeptValue(entry, in: self)) }
    }

    func noteUse(of tags: [Tag], in record: inout DataUse.Record) {
        let data = core.data
        guard data.isTracking else { return record.noteRead([], door: "\(name) from a cache that tracks nothing") }
        record.noteRead([DataName(data.queries, name, .rows)])
        for case .rule(let name) in tags.map(\.meaning) {
            record.noteRead([DataName(data.queries, name, .column(""))])
        }
        record.noteRead(tags.names, door: tags.door)
    }

    /// The tags of a value as texts for the store.
    func storedTags(of entry: Entry<Q>) -> [String] {
        rule.tags(entry.query)
            + entry.tags.compactMap { tag in
                switch tag.meaning {
                case .rule: nil
                case .data(let name): name.text(in: core)
                case .door(let door): "\u{1F}" + door
                }
            }
    }

    /// The data tags of a value from the store, and whether it may be fresh: not if it was made from a source that is
    /// not tracked, or in an earlier launch.
    func dataTags(of stored: StoredValue) -> (tags: [Tag], mayBeFresh: Bool) {
        let texts = stored.tags.filter { $0.hasPrefix("\u{1F}") }
        let tags = texts.map { core.data.tag(ofStored: $0, query: index, in: core) }
        // Whether a server has named groups is known by the other texts.
        let isUnknown = zip(texts, tags).contains { $1 == nil && !$0.hasSuffix("\u{1F}\u{1F}") }
        return (tags.compactMap(\.self), !isUnknown && !(texts.isEmpty && policy.isTracked))
    }
}

extension [Tag] {
    /// The data from tracked sources.
    var names: Set<DataName> { Set(compactMap { if case .data(let name) = $0.meaning { name } else { nil } }) }

    /// Data that nobody can track; nil for none.
    var door: String? {
        for case .door(let door) in map(\.meaning) { return door }
        return nil
    }

    /// The seconds for which a value is fresh without a policy, because nobody sees everything.
    var trackedAge: Double {
        guard door == nil else { return 0 }
        return contains { if case .data(let name) = $0.meaning { name.source.isRemote } else { false } } ? 60 : 3_600
    }

    /// These tags with those of another value, each once.
    func union(_ others: [Tag]) -> [Tag] { self + others.filter { other in !contains { $0 === other } } }
}

extension QueryCache: DataFollower {
    /// Follows sources from now on.
    func track(_ sources: [any TrackedSource]) {
        for source in sources where core.data.add(source) { source.tracker.follow(self) }
    }

    package func invalidate(
        _ names: Set<DataName>,
        by writer: DataUse?,
        narrows: Bool,
        _ version: CacheVersion?
    ) {
        let command: (any Command)? = if case .command(let command) = writer?.command?.work { command } else { nil }
        let narrowed = narrows ? writer?.command.flatMap(narrowing)?.rules.queries ?? [] : []
        let requirement = core.applying {
            let start = core.epochs.current
            core.data.invalidate(names, passingOver: narrowed, by: command.map { type(of: $0) })
            // A server may have refused the command, or not have got it.
            if names.contains(where: \.isPart) {
                for update in core.shownUpdates(of: writer?.commands ?? []) { update.noteCommit() }
            }
            return require(version, since: start)
        }
        refreshAfterCommits(by: writer, requirement)
    }

    /// The reasons why values of queries without a policy are not kept, by their names.
    package var untrackedQueries: [String: String] { core.reported.withLock(\.self) }

    /// The sources that the cache tracks.
    package var trackers: [DataTracker] { core.data.sources }

    package func narrow(by writer: DataUse) {
        guard let (command, rules) = writer.command.flatMap(narrowing) else { return }
        core.applying { for action in rules.actions { action(command, self) } }
        refreshAfterCommits(by: writer)
    }

    private func narrowing(of use: DataUse) -> (command: any Command, rules: Narrowing)? {
        guard case .command(let command) = use.work else { return nil }
        return narrowing[ObjectIdentifier(type(of: command))].map { (command, $0) }
    }

    /// Loads invalidated values that are observed, in one pass for all commits until it begins.
    private func refreshAfterCommits(by writer: DataUse?, _ requirement: Requirement? = nil) {
        // Loads that cause each other must not do so without end.
        if let chain = writer?.load as? LoadChain {
            Task.detached { [weak self] in
                LoadChain.$current.withValue(chain) { self?.refreshInvalidated(requirement) }
            }
        } else if core.requestRefresh(requirement) {
            Task.detached { [weak self] in self?.refreshInvalidated(self?.core.takeRefresh()) }
        }
    }
}

/// What rules with a condition say that a command changes.
struct Narrowing {
    /// The positions of the queries whose values these rules list.
    var queries: Set<Int> = []
    var actions: [Invalidate.Action] = []

    /// The narrowing of each command.
    ///
    /// A rule without a condition adds values, so that the query is not narrowed.
    static func of(_ rules: [Invalidate], _ indices: [ObjectIdentifier: Int]) -> [ObjectIdentifier: Narrowing] {
        var result: [ObjectIdentifier: Narrowing] = [:]
        for rule in rules where rule.isConditional {
            guard let query = rule.query, let index = indices[query.id] else { continue }
            for command in rule.commands {
                let isWider = rules.contains { other in
                    !other.isConditional && other.query?.id == query.id
                        && other.commands.contains { $0.id == command.id }
                }
                guard !isWider else { continue }
                result[command.id, default: Narrowing()].queries.insert(index)
                result[command.id]?.actions.append(rule.action)
            }
        }
        return result
    }
}
