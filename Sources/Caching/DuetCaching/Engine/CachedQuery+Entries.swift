import Duet
import Synchronization

extension CachedQuery {
    func entry(of key: ScopedQuery<Q>) -> Entry<Q>? {
        entries.entry(hash: key.tableHash, query: key.query, scope: key.scope)
    }

    /// Notes a value that was added to the table of this query.
    func keep(_ entry: Entry<Q>, replacing replaced: Entry<Q>?, _ storing: Storing?, at now: Double) {
        if let replaced {
            core.order.remove(CollectionOfOne(replaced))
            replaced.removeForms()
        }
        core.evict(core.order.insert(entry, at: now))
        if let storing { store(entry, storing) }
    }

    func newEntry(
        _ key: ScopedQuery<Q>,
        _ value: Value,
        dates: StoredDates,
        epoch: Epoch,
        tags: [Tag],
        source: CacheVersion? = nil,
        isFromStore: Bool = false
    ) -> Entry<Q> {
        Entry(
            key,
            value,
            dates: dates,
            epoch: epoch,
            tags: tags,
            source: source,
            weight: weight(of: value),
            queryIndex: index,
            hasExtras: limits.idleTime < .infinity || !core.order.limit.countsEntries,
            isFromStore: isFromStore
        )
    }

    func dates(of value: Value, loaded: Double, _ tags: [Tag]) -> StoredDates {
        policy.dates(
            of: value,
            loaded: loaded,
            random: policy.jitter > 0 ? core.random() : 0,
            trackedAge: policy.isTracked ? tags.trackedAge : 0
        )
    }

    /// The weight of a value, or the largest integer if the rule returns a negative weight.
    private func weight(of value: Value) -> Int {
        guard !core.order.limit.countsEntries, let weight = rule.weight?(value) else { return 1 }
        return weight < 0 ? .max : max(1, weight)
    }

    /// When a value can no longer be served, even if loading fails; infinity for never.
    func usableUntil(_ entry: Entry<Q>) -> Double { entry.expires + limits.grace }
}

extension CachedQuery: ValueKeeping {
    func value<Other: Query>(of entry: AnyObject, answering query: Other) -> Other.Value? {
        guard Other.self == Q.self else { return nil }
        let entry = Self.entry(entry)
        // Both types were found to be the same, so their values are too.
        guard unsafe unsafeBitCast(query, to: Q.self) == entry.query else { return nil }
        return unsafe unsafeBitCast(entry.value, to: Other.Value.self)
    }

    func forms(of entry: AnyObject) -> ValueForms { Self.entry(entry).forms(in: core) }

    func noteUse(of entry: AnyObject, in record: inout DataUse.Record) {
        noteUse(of: Self.entry(entry).tags, in: &record)
    }

    /// An entry of this query.
    private static func entry(_ object: AnyObject) -> Entry<Q> { unsafe unsafeDowncast(object, to: Entry<Q>.self) }
}
