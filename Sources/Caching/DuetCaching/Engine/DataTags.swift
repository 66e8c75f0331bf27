import Duet
import Synchronization

/// The data that the handlers of one cache have read from tracked sources.
///
/// There is one tag for each name and query. A write invalidates those of its names, so that it takes the same time for
/// any number of values, and can pass over a query.
final class DataTags: Sendable {
    private struct Name {
        /// The tag of each query that has read it, by the query's position.
        var tags: [Int: Tag] = [:]
        /// The epoch of the last write, which a new tag begins with.
        var last: Epoch
        /// The number of writes, and the command of the last one.
        var writes = 0
        var writer: (any Command.Type)?
    }

    private struct State {
        var names: [DataName: Name] = [:]
        /// The epoch in which names were forgotten.
        var floor: Epoch = 0
        /// The epoch of the last write.
        var last: Epoch = 0
        var hasWrittenToServer = false
        /// The sources, which observe for as long as they exist, by their names.
        var sources: [String: any TrackedSource] = [:]
    }

    /// The number of names at which all are forgotten, and everything is stale.
    private static let limit = 65_536

    /// The names of the queries themselves.
    let queries = DataTracker("")
    private let epochs: Epochs
    private let state = Mutex(State())
    private let hasSources = Atomic(false)

    init(_ epochs: Epochs) {
        self.epochs = epochs
    }

    var isTracking: Bool { hasSources.load(ordering: .relaxed) }

    /// - Returns: Whether there was no source with this name.
    func add(_ source: any TrackedSource) -> Bool {
        hasSources.store(true, ordering: .relaxed)
        let name = source.tracker.name
        return state.withLock { state in
            if state.sources[name] != nil { return false }
            state.sources[name] = source
            return true
        }
    }

    var sources: [DataTracker] { state.withLock { $0.sources.values.map(\.tracker) } }

    private func source(named name: String, in parent: String?) -> DataTracker? {
        if name.isEmpty { return queries }
        let source = state.withLock { $0.sources[parent ?? name]?.tracker }
        return parent == nil ? source : source?.part(named: name)
    }

    private func isTracked(_ source: DataTracker) -> Bool {
        self.source(named: source.name, in: source.parent) === source
    }

    /// Returns the tags of what a load has read, among them one for what nobody can track.
    func tags(of record: DataUse.Record, query: Int) -> [Tag] {
        var record = record
        record.addCharges(from: isTracked)
        var (tags, door) = ([Tag](), record.door)
        for name in record.reads {
            if isTracked(name.source) {
                tags.append(tag(name, query: query))
                if !name.source.isTold {
                    door = "\(name.source.name), whose events no worker and ClusterInvalidation follows"
                }
            } else if !name.source.name.isEmpty {
                door = "the source \(name.source.name), which the cache does not track"
            }
        }
        if tags.isEmpty { door = door ?? "nothing that is tracked" }
        return tags + (door.map { [Tag(.door($0))] } ?? [])
    }

    /// The tags of a value that servers have reported, who do not say what it was made from.
    func tagsOfReport(query: Int) -> [Tag] {
        guard isTracking else { return [] }
        return sources.filter(\.isRemote).map { tag($0.anything, query: query) } + [
            Tag(.door("a change that was reported"))
        ]
    }

    private func tag(_ name: DataName, query: Int) -> Tag {
        state.withLock { state in
            forgetNames(of: &state)
            let floor = state.floor
            let known = state.names[name]
            if let tag = known?.tags[query] { return tag }
            let tag = Tag(.data(name), invalidatedAt: known?.last ?? floor)
            state.names[name, default: Name(last: floor)].tags[query] = tag
            return tag
        }
    }

    /// Makes everything stale if there are too many names.
    private func forgetNames(of state: inout State) {
        guard state.names.count >= Self.limit else { return }
        state.floor = epochs.next()
        for name in state.names.values {
            for tag in name.tags.values { tag.invalidated.invalidate(at: state.floor) }
        }
        state.names = [:]
    }

    /// Invalidates what was written, except for some queries.
    func invalidate(
        _ names: some Collection<DataName>,
        passingOver passedOver: Set<Int> = [],
        by writer: (any Command.Type)? = nil
    ) {
        guard isTracking else { return }
        let epoch = epochs.next()
        state.withLock { state in
            state.last = epoch
            if names.contains(where: { $0.isAnything && $0.source.isRemote && !$0.source.hasParts }) {
                state.hasWrittenToServer = true
            }
            forgetNames(of: &state)
            for name in names {
                state.names[name, default: Name(last: epoch)].last = epoch
                state.names[name]?.writes += 1
                state.names[name]?.writer = writer
                for (query, tag) in state.names[name]?.tags ?? [:] where !passedOver.contains(query) {
                    tag.invalidated.invalidate(at: epoch)
                }
            }
        }
    }

    func hasWrites(since epoch: Epoch) -> Bool { isTracking && state.withLock { $0.last > epoch } }

    /// Whether this client has written to a server, so that caches on the way may not know its values.
    var hasWrittenToServer: Bool { isTracking && state.withLock(\.hasWrittenToServer) }

    /// Invalidates what was made from values of a query.
    func noteChange(of query: String) { invalidate(CollectionOfOne(DataName(queries, query, .rows))) }

    // MARK: Explaining

    /// Lists what a value was made from, the most often written first.
    func explanations(of tags: [Tag]) -> [String] {
        let names = tags.names.filter { !$0.isEverything && !$0.source.name.isEmpty }
        let lines = state.withLock { state in
            names.map { name in
                let (writes, writer) = (state.names[name]?.writes ?? 0, state.names[name]?.writer?.messageName)
                let times = writes == 1 ? "once" : "\(writes) times, last"
                let text = writes == 0 ? "" : ", written \(times) by \(writer ?? "work outside of commands")"
                return (writes, "It was made from \(name)\(text)")
            }
        }
        return lines.sorted { ($1.0, $0.1) < ($0.0, $1.1) }.map(\.1)
            + (tags.door.map { ["It was made from \($0), which nobody can track"] } ?? [])
    }

    // MARK: Storing

    /// Returns the tag that a text in a store stands for; nil for another launch, or a source that is not tracked.
    func tag(ofStored text: String, query: Int, in core: CacheCore) -> Tag? {
        let parts = text.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5 else { return Tag(.door(parts.last ?? "")) }
        let names = parts[2].split(separator: "\u{1E}", omittingEmptySubsequences: false).map(String.init)
        let parent = names.count == 2 ? names[0] : nil
        guard parts[1] == "\(core.versionID)", let source = source(named: names.last ?? "", in: parent) else {
            return nil
        }
        return tag(DataName(source, parts[3], .init(text: parts[4])), query: query)
    }
}

extension DataName {
    /// The name for a store, which no tag of a rule begins like.
    func text(in core: CacheCore) -> String {
        let name = source.parent.map { "\($0)\u{1E}\(source.name)" } ?? source.name
        return ["", "\(core.versionID)", name, table, part.text].joined(separator: "\u{1F}")
    }
}
