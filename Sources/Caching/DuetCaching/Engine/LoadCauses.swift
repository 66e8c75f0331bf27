/// The loads of observed values that have caused a load, each by a command that has invalidated the next value.
///
/// Handlers whose commands invalidate each other's queries would load without end.
struct LoadCauses {
    private struct Cause {
        let name: String
        let query: ObjectIdentifier
        let key: any Sendable
    }

    /// The number of loads of one value that may cause each other: a command may change something only once.
    private static let repeats = 3

    /// The number of loads that may cause each other.
    private static let limit = 32

    private var causes: [Cause] = []

    func appending(_ name: String, _ query: ObjectIdentifier, _ key: any Sendable) -> LoadCauses {
        var next = self
        next.causes = causes + [Cause(name: name, query: query, key: key)]
        return next
    }

    /// The error in place of one more load of a value; nil if it may be loaded.
    func cycle<Q>(of query: CachedQuery<Q>, _ key: ScopedQuery<Q>) -> CacheCycle? {
        let places = causes.indices.filter { index in
            causes[index].query == ObjectIdentifier(query) && causes[index].key as? ScopedQuery<Q> == key
        }
        guard places.count >= Self.repeats || causes.count >= Self.limit else { return nil }
        return CacheCycle(messages: causes[(places.last ?? 0)...].map(\.name) + [query.name])
    }
}
