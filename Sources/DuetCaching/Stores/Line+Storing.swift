import Duet
import Foundation
import Synchronization

/// The values of a query that the store may still have although a rule chose them to be stale.
struct StoredMark<Q: Query & Hashable>: Sendable {
    let id: Int
    let epoch: Epoch
    let isMeant: @Sendable (Q) -> Bool
    /// Whether the store has removed such values.
    var isConfirmed = false
}

extension Line {
    /// The number of marks at which all values in the store count as stale instead.
    private static var markLimit: Int { 32 }

    // MARK: Reading

    /// Copies a value from the store to the memory, unless the memory has one that is as new.
    ///
    /// - Returns: The value that is now in memory; nil if the store has none that can be used, or something was invalidated
    ///   meanwhile.
    func promote(_ key: ScopedQuery<Q>) async -> Found? {
        let epoch = core.epochs.current
        state.withLock { $0.storeUses += 1 }
        // Marks are kept until the value is in memory or dropped.
        defer { endStoreUse() }
        guard let entry = await storedEntry(of: key) else { return nil }
        let hash = key.tableHash
        let promotion = state.withLock { state -> (current: Entry<Q>, replaced: Entry<Q>?, isNew: Bool)? in
            guard core.epochs.current == epoch else { return nil }
            if let existing = entries.entry(hash: hash, query: key.query, scope: key.scope),
                existing.loaded >= entry.loaded
            {
                return (existing, nil, false)
            }
            if state.isMarked(key.query, entry.epoch) { entry.markInvalid() }
            return (entry, entries.insert(entry, hash: hash), true)
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
            tier.remove(name) { try await $0.remove([storeKey]) }
            return nil
        }
    }

    /// Returns the value in the store, without copying it to the memory.
    func findInStore(_ key: ScopedQuery<Q>) async -> Found? {
        state.withLock { $0.storeUses += 1 }
        defer { endStoreUse() }
        guard let entry = await storedEntry(of: key) else { return nil }
        if state.withLock({ $0.isMarked(key.query, entry.epoch) }) { entry.markInvalid() }
        return found(entry, at: core.seconds)
    }

    /// The key in the store; nil for a query that the encoding does not reproduce.
    private func storeKey(_ key: ScopedQuery<Q>, _ coding: Cache<Q>.Coding) -> CacheKey? {
        guard let bytes = try? coding.encodeQuery(key.query), (try? coding.decodeQuery(bytes)) == key.query else {
            return nil
        }
        return CacheKey(query: name, version: coding.version, scope: key.scope, encodedQuery: bytes)
    }

    private func entry(_ key: ScopedQuery<Q>, _ value: Value, _ stored: StoredValue, _ tags: [Tag]) -> Entry<Q> {
        newEntry(
            key,
            value,
            dates(of: value, loaded: stored.loaded.timeIntervalSinceReferenceDate),
            // A value of an earlier process is older than all invalidations of this one.
            stored.writer == core.tier?.writer ? stored.epoch : 0,
            tags,
            isFromStore: true
        )
    }

    // MARK: Storing

    /// Encodes a value that the memory now has, and stores it in the background.
    ///
    /// It has been counted as a use of the store.
    func store(_ entry: Entry<Q>) {
        guard let tier = core.tier, let coding = rule.coding else { return }
        // A value that is too heavy for the memory is not stored.
        guard entry.weight <= core.order.limit.capacity else { return endStoreUse() }
        let isAccepted = tier.write(name) { [self] in
            defer { endStoreUse() }
            guard let key = storeKey(ScopedQuery(query: entry.query, scope: entry.scope), coding), !isOutdated(entry)
            else { return }
            let stored = StoredValue(
                bytes: try coding.value.encode(entry.value),
                loaded: Date(timeIntervalSinceReferenceDate: entry.loaded),
                usableUntil: usableUntil(entry) < .infinity
                    ? Date(timeIntervalSinceReferenceDate: usableUntil(entry)) : nil,
                tags: rule.tags(entry.query),
                writer: tier.writer,
                epoch: entry.epoch
            )
            try await tier.store.insert(stored, for: key)
            // An invalidation that the store carried out before the insertion did not find the value.
            if isOutdated(entry) { try await tier.store.remove([key]) }
        }
        if !isAccepted { endStoreUse() }
    }

    private func isOutdated(_ entry: Entry<Q>) -> Bool {
        isInvalidated(entry) || state.withLock { $0.isMarked(entry.query, entry.epoch) }
    }

    /// Whether values of this query get into the store.
    var isInStore: Bool { core.tier != nil && rule.coding != nil }

    private func endStoreUse() {
        state.withLock { state in
            state.storeUses -= 1
            if state.storeUses == 0 { state.marks.removeAll(where: \.isConfirmed) }
        }
    }

    // MARK: Invalidating

    /// Removes the values of some queries from the store, and marks them as stale until they are gone.
    ///
    /// - Parameter state: The state of this line, which is locked.
    /// - Returns: A function that begins to remove them, to be called without the lock.
    func markStored(
        _ state: inout State,
        at epoch: Epoch,
        where isMeant: @escaping @Sendable (Q) -> Bool
    ) -> (@Sendable () -> Void)? {
        guard let tier = core.tier, let coding = rule.coding else { return nil }
        if state.marks.count >= Self.markLimit {
            state.marks = []
            state.storeFloor = epoch
        }
        state.lastMark += 1
        let mark = StoredMark(id: state.lastMark, epoch: epoch, isMeant: isMeant)
        state.marks.append(mark)
        return { [self] in
            tier.remove(name) { [name] store in
                let keys = try await store.keys(ofQuery: name).filter { key in
                    // A query that cannot be read may be meant.
                    (try? coding.decodeQuery(key.encodedQuery)).map(isMeant) ?? true
                }
                if !keys.isEmpty { try await store.remove(keys) }
            } onEnd: { [self] isRemoved in
                if isRemoved { confirm(mark.id) }
            }
        }
    }

    private func confirm(_ mark: Int) {
        state.withLock { state in
            guard let index = state.marks.firstIndex(where: { $0.id == mark }) else { return }
            // A value that is being stored may come after the removal, and one that is being read from before it.
            if state.storeUses == 0 { state.marks.remove(at: index) } else { state.marks[index].isConfirmed = true }
        }
    }

    /// Removes all values of this query from the store.
    func removeStored() {
        guard rule.coding != nil else { return }
        core.tier?.remove(name) { [name] in try await $0.removeAll(ofQuery: name) }
    }
}

extension Line.State {
    /// Whether a rule chose values of a query that the store got in an earlier epoch.
    func isMarked(_ query: Q, _ epoch: Epoch) -> Bool {
        epoch < storeFloor || marks.contains { epoch < $0.epoch && $0.isMeant(query) }
    }
}
