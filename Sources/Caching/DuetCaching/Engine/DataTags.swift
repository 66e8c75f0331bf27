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
    }

    private struct State {
        var names: [DataName: Name] = [:]
        /// The epoch in which names were forgotten.
        var floor: Epoch = 0
    }

    /// The number of names at which all are forgotten, and everything is stale.
    private static let limit = 65_536

    /// The names of the queries themselves.
    let queries = DataTracker("")
    private let trackers: [String: DataTracker]
    /// Which observe for as long as they exist.
    private let sources: [any TrackedSource]
    private let epochs: Epochs
    private let state = Mutex(State())
    private let running = Mutex<[ObjectIdentifier: DataUse]>([:])

    init(_ sources: [any TrackedSource], _ epochs: Epochs) {
        self.sources = sources
        trackers = Dictionary((sources.map(\.tracker) + [queries]).map { ($0.name, $0) }) { first, _ in first }
        self.epochs = epochs
    }

    /// Returns the tags of what a load has read, among them one for what nobody can track.
    func tags(of record: DataUse.Record, query: Int) -> [Tag] {
        var (tags, door) = ([Tag](), record.door)
        if record.openReads > 0 { door = "an access that has not ended" }
        for name in record.reads {
            if trackers[name.source.name] === name.source {
                tags.append(tag(name, query: query))
            } else if !name.source.name.isEmpty {
                door = "the source \(name.source.name), which the cache does not track"
            }
        }
        if tags.isEmpty { door = door ?? "nothing that is tracked" }
        return tags + (door.map { [Tag(.door($0))] } ?? [])
    }

    private func tag(_ name: DataName, query: Int) -> Tag {
        state.withLock { state in
            if state.names.count >= Self.limit {
                state.floor = epochs.next()
                for name in state.names.values {
                    for tag in name.tags.values { tag.invalidated.invalidate(at: state.floor) }
                }
                state.names = [:]
            }
            let floor = state.floor
            let known = state.names[name]
            if let tag = known?.tags[query] { return tag }
            let tag = Tag(.data(name), invalidatedAt: known?.last ?? floor)
            state.names[name, default: Name(last: floor)].tags[query] = tag
            return tag
        }
    }

    /// Invalidates what was written, except for some queries.
    func invalidate(_ names: some Sequence<DataName>, passingOver passedOver: Set<Int> = []) {
        let epoch = epochs.next()
        state.withLock { state in
            for name in names {
                state.names[name, default: Name(last: epoch)].last = epoch
                for (query, tag) in state.names[name]?.tags ?? [:] where !passedOver.contains(query) {
                    tag.invalidated.invalidate(at: epoch)
                }
            }
        }
    }

    /// Invalidates what was made from values of a query.
    func noteChange(of query: String) { invalidate(CollectionOfOne(DataName(queries, query, .rows))) }

    // MARK: Running loads

    func begin(_ chain: LoadChain?) -> DataUse {
        let use = DataUse(.load(chain))
        running.withLock { $0[ObjectIdentifier(use)] = use }
        return use
    }

    func end(_ use: DataUse) { running.withLock { $0[ObjectIdentifier(use)] = nil } }

    var loads: [DataUse] { running.withLock { Array($0.values) } }

    // MARK: Storing

    /// Returns the tag that a text in a store stands for; nil for another launch, or a source that is not tracked.
    func tag(ofStored text: String, query: Int, in core: CacheCore) -> Tag? {
        let parts = text.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5 else { return Tag(.door(parts.last ?? "")) }
        guard parts[1] == "\(core.versionID)", let source = trackers[parts[2]] else { return nil }
        let part: DataName.Part =
            parts[4].isEmpty ? .whole : parts[4] == "*" ? .rows : .column("\(parts[4].dropFirst())")
        return tag(DataName(source, parts[3], part), query: query)
    }
}

extension DataName {
    /// The name for a store, which no tag of a rule begins like.
    func text(in core: CacheCore) -> String {
        let part =
            switch part {
            case .column(let name): "." + name
            case .rows: "*"
            case .whole: ""
            }
        return ["", "\(core.versionID)", source.name, table, part].joined(separator: "\u{1F}")
    }
}
