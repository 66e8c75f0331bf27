import Duet
import Foundation
import Synchronization

extension CachedQuery {
    // MARK: Reading

    /// Copies a value from the store to the memory, unless the memory has an equally new value.
    ///
    /// - Returns: The value that is now in memory; nil if the store has none.
    func promote(_ key: ScopedQuery<Q>) async -> Found? {
        let (use, confirmations) = state.withLock { ($0.marks.beginUse(), $0.watches.confirmations) }
        // Marks are kept until the value is in memory or dropped.
        defer { endStoreUse(use) }
        guard let entry = await storedEntry(of: key) else { return nil }
        let hash = key.tableHash
        var lacksChange = false
        let promotion = state.withLock { state -> (current: Entry<Q>, replaced: Entry<Q>?, isNew: Bool)? in
            lacksChange = state.watches.confirmations != confirmations
            guard core.removed.isValid(entry.epoch), !lacksChange else { return nil }
            if let existing = entries.entry(hash: hash, query: key.query, scope: key.scope),
                existing.loaded >= entry.loaded
            {
                return (existing, nil, false)
            }
            if isMarked(entry, state) { entry.markInvalid() }
            return (entry, entries.insert(entry, hash: hash), true)
        }
        if lacksChange {
            // The value may have been read before the store made the change of a command.
            await core.tier?.waitForChanges()
            return await promote(key)
        }
        guard let promotion else { return nil }
        if let replaced = promotion.replaced { core.order.remove(CollectionOfOne(replaced)) }
        if promotion.isNew { core.evict(core.order.insert(entry, at: core.seconds)) }
        return found(promotion.current, at: core.seconds)
    }

    /// Reads a value from the store, and removes it there if it cannot be decoded.
    private func storedEntry(of key: ScopedQuery<Q>) async -> Entry<Q>? {
        guard let tier = core.tier, let coding = rule.coding, let storeKey = storeKey(key, coding) else { return nil }
        // Kept while the store is read, so that an invalidation of a tag reaches the entry.
        let tags = rule.tags(key.query).map(core.tags.tag)
        guard let stored = await tier.value(for: storeKey) else { return nil }
        do {
            return entry(key, try coding.value.decode(stored.bytes), stored, tags)
        } catch {
            tier.report(.reading, name, error)
            tier.remove(storeKey)
            return nil
        }
    }

    /// Returns the value in the store, without copying it to the memory.
    func findInStore(_ key: ScopedQuery<Q>) async -> Found? {
        let use = state.withLock { $0.marks.beginUse() }
        defer { endStoreUse(use) }
        guard let entry = await storedEntry(of: key) else { return nil }
        guard core.removed.isValid(entry.epoch) else { return nil }
        if isMarked(entry) { entry.markInvalid() }
        return found(entry, at: core.seconds)
    }

    /// Returns the key in the store, or nil for a query that the encoding does not reproduce.
    private func storeKey(_ key: ScopedQuery<Q>, _ coding: Cache<Q>.Coding) -> CacheKey? {
        guard let bytes = try? coding.encodeQuery(key.query), (try? coding.decodeQuery(bytes)) == key.query else {
            return nil
        }
        return CacheKey(query: name, version: coding.version, scope: key.scope, encodedQuery: bytes)
    }

    private func entry(_ key: ScopedQuery<Q>, _ value: Value, _ stored: StoredValue, _ tags: [Tag]) -> Entry<Q> {
        let (data, mayBeFresh) = dataTags(of: stored)
        let tags = tags + data
        let entry = newEntry(
            key,
            value,
            dates: dates(of: value, loaded: stored.loaded.timeIntervalSinceReferenceDate, tags),
            // A value of an earlier process is older than all invalidations of this one.
            epoch: stored.writer == core.tier?.writer ? stored.epoch : 0,
            tags: tags,
            isFromStore: true
        )
        if stored.isStale || !mayBeFresh { entry.markInvalid() }
        return entry
    }

    // MARK: Storing

    /// The numbers of a use of the store that inserts a value.
    struct Storing {
        let use: Int
        let write: Int?
        let stamp: Int64?
    }

    /// Announces under the lock that a value will be stored, so that a flush waits for it once it is in memory.
    ///
    /// - Parameter stamp: ``StoredValue/stamp``.
    func beginStoring(_ state: inout State, _ stamp: Int64?) -> Storing? {
        guard let tier = core.tier, rule.coding != nil else { return nil }
        return Storing(use: state.marks.beginUse(), write: tier.beginWrite(), stamp: stamp)
    }

    /// Encodes a value that the memory now has, and stores it in the background.
    ///
    /// - Parameter storing: The numbers of this use of the store, which has begun.
    func store(_ entry: Entry<Q>, _ storing: Storing) {
        let use = storing.use
        // A value that is too heavy for the memory is not stored.
        guard let tier = core.tier, let coding = rule.coding, entry.weight <= core.order.limit.capacity else {
            core.tier?.endWrite(storing.write)
            return endStoreUse(use)
        }
        let isAccepted = tier.write(name, storing.write) { [self] in
            defer { endStoreUse(use) }
            guard let key = storeKey(ScopedQuery(query: entry.query, scope: entry.scope), coding) else { return }
            var next: Entry<Q>? = newerEntry(than: entry) ?? entry
            while let entry = next, core.removed.isValid(entry.epoch) {
                // A value that was invalidated meanwhile may replace a failed load of the next process.
                let isStale = isOutdated(entry)
                guard !isStale || limits.grace > 0 else { return }
                // The store may carry out an invalidation before the insertion, and then does not find the value.
                defer { catchUp(entry, key, isStale: isStale, tier) }
                try await tier.store.insert(
                    storedValue(entry, coding, tier, isStale: isStale, stamp: storing.stamp),
                    for: key
                )
                // A newer value may have been stored first.
                next = newerEntry(than: entry)
            }
        }
        if !isAccepted { endStoreUse(use) }
    }

    private func newerEntry(than entry: Entry<Q>) -> Entry<Q>? {
        entries.entry(hash: entry.hash, query: entry.query, scope: entry.scope)
            .flatMap { $0.loaded > entry.loaded ? $0 : nil }
    }

    private func storedValue(
        _ entry: Entry<Q>,
        _ coding: Cache<Q>.Coding,
        _ tier: StoreTier,
        isStale: Bool,
        stamp: Int64?
    ) throws -> StoredValue {
        StoredValue(
            bytes: try coding.value.encode(entry.value),
            loaded: Date(timeIntervalSinceReferenceDate: entry.loaded),
            usableUntil: usableUntil(entry) < .infinity
                ? Date(timeIntervalSinceReferenceDate: usableUntil(entry)) : nil,
            tags: storedTags(of: entry),
            writer: tier.writer,
            epoch: entry.epoch,
            isKeptWhenStale: limits.grace > 0,
            isStale: isStale,
            stamp: stamp
        )
    }

    private func isOutdated(_ entry: Entry<Q>) -> Bool { isInvalidated(entry) || isMarked(entry) }

    private func isMarked(_ entry: Entry<Q>) -> Bool { state.withLock { isMarked(entry, $0) } }

    /// Whether a rule invalidated a value in the store.
    private func isMarked(_ entry: Entry<Q>, _ state: State) -> Bool {
        state.marks.contain(entry.query, of: entry.epoch) || core.tier?.isValid(entry.epoch) == false
    }

    private func endStoreUse(_ use: Int) {
        state.withLock { $0.marks.endUse(use) }
    }

    // MARK: Invalidating

    /// Marks the values of some queries as stale, here until the store has marked them.
    ///
    /// - Parameter state: The state of this query, which is locked.
    /// - Returns: A function that begins to mark them in the store, to be called without the lock.
    func markStored(
        _ state: inout State,
        at epoch: Epoch,
        where isStale: @escaping @Sendable (Q) -> Bool
    ) -> (@Sendable () -> Void)? {
        guard core.tier != nil, let coding = rule.coding else { return nil }
        let mark = state.marks.add(at: epoch, now: core.epochs.current, where: isStale)
        return { [self, name] in
            core.tier?.markStale(query: name) { key in
                // A query that cannot be decoded may be one of them.
                (try? coding.decodeQuery(key.encodedQuery)).map(isStale) ?? true
            } onEnd: { [self] isMarked in
                if isMarked { confirm(mark) }
            }
        }
    }

    /// Marks or removes a value that was inserted after the store had carried out its invalidation.
    private func catchUp(_ entry: Entry<Q>, _ key: CacheKey, isStale: Bool, _ tier: StoreTier) {
        guard core.removed.isValid(entry.epoch) else { return tier.remove(key) }
        guard !isStale, isOutdated(entry) else { return }
        let mark = state.withLock { state in
            state.marks.add(at: entry.epoch + 1, now: core.epochs.current) { $0 == entry.query }
        }
        tier.markStale(.keys([key]), name) { [self] isMarked in
            if isMarked { confirm(mark) }
        }
    }

    /// Makes the change of a successful command in the stale values of the store.
    func updateStored(_ running: CommandUpdate<Q>) {
        guard let coding = rule.coding, limits.grace > 0 else { return }
        core.tier?.updateStale(name) { key, bytes in
            guard key.version == coding.version, key.scope == running.scope,
                let query = try? coding.decodeQuery(key.encodedQuery),
                let value = try? coding.value.decode(bytes), let changed = running.changed(value, of: query)
            else { return nil }
            return try? coding.value.encode(changed)
        }
    }

    private func confirm(_ mark: Int) {
        state.withLock { $0.marks.confirm(mark) }
    }

    func markStored() {
        guard rule.coding != nil else { return }
        core.tier?.markStale(query: name, where: { _ in true })
    }
}
