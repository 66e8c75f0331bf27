import Duet
import Synchronization

/// What the handlers of one cache have read from tracked sources.
///
/// There is one tag for each name and query. A write invalidates those of its names, so that it takes the same time for
/// any number of values, and can pass over a query.
final class DataTags: Sendable {
    fileprivate struct State {
        /// By name and by the position of the query.
        var tags: [DataName: [Tag]] = [:]
        /// The epoch in which tags were forgotten, which new ones begin with.
        var floor: Epoch = 0
    }

    /// The number of tags at which all are forgotten, and everything is stale.
    fileprivate static let limit = 65_536

    /// The names of the queries themselves.
    let queries = DataTracker("")
    private let sources: [String: DataTracker]
    private let queryCount: Int
    private let epochs: Epochs
    private let state = Mutex(State())
    private let running = Mutex<[ObjectIdentifier: DataUse]>([:])

    init(_ sources: [DataTracker], queryCount: Int, _ epochs: Epochs) {
        self.sources = Dictionary((sources + [queries]).map { ($0.name, $0) }) { first, _ in first }
        self.queryCount = queryCount
        self.epochs = epochs
    }

    /// Returns the tags of what a load has read, among them one for what nobody can track.
    func tags(of record: DataUse.Record, query: Int) -> [Tag] {
        let names = record.reads.filter { sources[$0.source.name] === $0.source }
        let foreign = record.reads.first { sources[$0.source.name] !== $0.source }
        let door = record.door ?? foreign.map { "the source \($0.source.name), which the cache does not track" }
        let tags = state.withLock { state in names.map { state.tags(of: $0, queryCount, epochs)[query] } }
        if let door { return tags + [Tag(.door(door))] }
        return tags.isEmpty ? [Tag(.door("nothing that is tracked"))] : tags
    }

    /// Invalidates what was written, except for some queries.
    func invalidate(_ names: some Sequence<DataName>, passingOver passedOver: Set<Int> = []) {
        let epoch = epochs.next()
        state.withLock { state in
            for name in names {
                for (query, tag) in state.tags(of: name, queryCount, epochs).enumerated()
                where !passedOver.contains(query) {
                    tag.invalidated.invalidate(at: epoch)
                }
            }
        }
    }

    /// Invalidates what was made from values of a query.
    func noteChange(of query: String) { invalidate(CollectionOfOne(DataName(queries, query, .rows))) }

    // MARK: Running loads

    func begin() -> DataUse {
        let use = DataUse(.load)
        running.withLock { $0[ObjectIdentifier(use)] = use }
        return use
    }

    func end(_ use: DataUse) { running.withLock { $0[ObjectIdentifier(use)] = nil } }

    var loads: [DataUse] { running.withLock { Array($0.values) } }

    // MARK: Storing

    /// Returns the tag that a text in a store stands for; nil for a source that is not tracked.
    func tag(ofStored text: String, query: Int) -> Tag? {
        let parts = text.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { return Tag(.door(parts.last ?? "")) }
        guard let source = sources[parts[1]] else { return nil }
        let part: DataName.Part = parts[3].isEmpty ? .whole : parts[3] == "*" ? .rows : .column("\(parts[3].dropFirst())")
        return state.withLock { $0.tags(of: DataName(source, parts[2], part), queryCount, epochs)[query] }
    }
}

extension DataTags.State {
    fileprivate mutating func tags(of name: DataName, _ queryCount: Int, _ epochs: Epochs) -> [Tag] {
        if let known = tags[name] { return known }
        if (tags.count + 1) * queryCount > DataTags.limit {
            floor = epochs.next()
            for tag in tags.values.joined() { tag.invalidated.invalidate(at: floor) }
            tags = [:]
        }
        let new = (0..<queryCount).map { _ in Tag(.data(name), invalidatedAt: floor) }
        tags[name] = new
        return new
    }
}

extension DataName {
    /// The name for a store, which no tag of a rule begins like.
    var text: String {
        let part = switch part {
        case .column(let name): "." + name
        case .rows: "*"
        case .whole: ""
        }
        return ["", source.name, table, part].joined(separator: "\u{1F}")
    }
}
