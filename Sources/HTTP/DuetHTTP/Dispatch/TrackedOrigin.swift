import Duet
import HTTPTypes
import Synchronization

/// A server as a source of data, whose names are the groups in its responses (RFC 9875).
///
/// Servers that never name groups stay under rules and ages.
final class TrackedOrigin: Sendable {
    private struct State {
        /// The keys of the groups that were named.
        var keys: Set<Substring> = []
        /// Whether the response to a command has named none.
        var hasUnnamedWrite = false
    }

    private struct Reference {
        weak var origin: TrackedOrigin?
    }

    private static let known = Mutex<[HTTPOrigin: Reference]>([:])
    /// The number of keys at which all are forgotten, and everything is stale.
    private static let limit = 64

    let tracker: DataTracker
    private let state = Mutex(State())

    private init(_ name: String) {
        tracker = DataTracker(name, isRemote: true)
    }

    /// The source of all dispatchers with one origin.
    static func of(_ url: BaseURL?) -> TrackedOrigin {
        guard let url, let origin = url.origin else { return TrackedOrigin("a server without an origin") }
        return known.withLock { known in
            if let found = known[origin]?.origin { return found }
            known = known.filter { $0.value.origin != nil }
            let new = TrackedOrigin(origin.description)
            known[origin] = Reference(origin: new)
            return new
        }
    }

    /// Notes for the current load what a response was made from.
    func noteRead(_ fields: HTTPFields) {
        guard let use = DataUse.current, use.isLoad else {
            // From now on, a server of this process has something to pass on.
            if fields.contains(.cacheGroups) { DataUse.begin() }
            return
        }
        guard let groups = StringList.parse(fields[values: .cacheGroups]), let key = Self.key(of: groups) else {
            let isKnown = state.withLock { !$0.keys.isEmpty }
            return use.noteRead(
                isKnown ? [tracker.anything, tracker.everything] : [tracker.anything],
                door: "\(tracker.name), whose response names no groups"
            )
        }
        let isNew = state.withLock { state in
            // A command may have named the groups of another key, or none, before this one was known.
            let isLate = !state.keys.isEmpty || state.hasUnnamedWrite
            if state.keys.count >= Self.limit { state.keys = [] }
            return state.keys.insert(key).inserted && isLate
        }
        if isNew { tracker.noteCommit([tracker.everything, tracker.anything], by: .nobody) }
        let names = groups.filter { $0 != CacheGroups.everything }.map(name)
        use.noteRead(Set(names + [name(of: key), tracker.everything]))
    }

    /// Makes stale what a command has changed.
    ///
    /// - Parameters:
    ///   - fields: The fields of its complete response; nil if it is not known what the command has changed.
    ///   - version: The version that the command has led to.
    func noteWrite(_ fields: HTTPFields?, _ version: CacheVersion? = nil) {
        let groups = fields.flatMap { StringList.parse($0[values: .cacheGroupInvalidation]) }
        let names: Set<DataName>? = state.withLock { state in
            guard let groups else {
                state.hasUnnamedWrite = true
                return state.keys.isEmpty ? nil : [tracker.everything, tracker.anything]
            }
            guard !groups.contains(CacheGroups.everything), state.keys.count < Self.limit,
                let key = Self.key(of: groups)
            else {
                return [tracker.everything, tracker.anything]
            }
            state.keys.insert(key)
            // Values whose groups have another key, and those without any, may have changed, too.
            return Set(groups.map(name) + state.keys.subtracting([key]).map(name(of:)) + [tracker.anything])
        }
        guard let names else { return }
        // A rule does not speak of what nobody knows.
        let narrows = !names.contains(tracker.everything)
        tracker.noteCommit(names, by: .current, narrows: narrows, version)
        if narrows, let use = DataUse.current { tracker.endNarrowing(by: use) }
    }

    private func name(_ group: String) -> DataName { DataName(tracker, group, .whole) }

    private func name(of key: Substring) -> DataName { DataName(tracker, String(key), .rows) }

    /// The digest of the key at the end of each group, empty for other servers; nil for groups of several keys.
    private static func key(of groups: [String]) -> Substring? {
        let keys = Set(groups.filter { $0 != CacheGroups.everything }.map(CacheGroups.key))
        return keys.count == 1 ? keys.first : nil
    }
}
