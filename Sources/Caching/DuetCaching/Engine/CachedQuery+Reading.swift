import Duet
import Synchronization

extension CachedQuery {
    /// Whether a query is equal to itself, and so would be found again; one with a NaN may not be.
    static func isCacheable(_ query: Q) -> Bool { query == query }

    func result(_ query: Q, _ mode: ReadMode.Kind, from next: some Dispatcher) async throws -> ReadResult<Value> {
        guard Self.isCacheable(query) else {
            statistics.add(.miss)
            guard mode != .cacheOnly else { throw NotCached(query: name) }
            let version = core.version
            return ReadResult(value: try await next.dispatch(query), version: version)
        }
        let key = currentKey(of: query)
        let now = core.seconds
        var found = find(key, at: now)
        switch mode {
        case .cacheOnly:
            if found == nil { found = await promote(key) }
            guard let found else {
                statistics.add(.miss)
                throw NotCached(query: name)
            }
            return use(found, at: core.seconds)
        case .cacheFirst:
            if let found, found.freshness.isUsableWhileRevalidating {
                guard !found.freshness.isFresh || found.freshness.isDueForRefresh else { return use(found, at: now) }
                let renewal = refresh(key, for: .background, from: next)
                return use(found, at: now, renewal: renewal)
            }
        case .fresh, .freshOrStale: break
        }
        return try await load(key, mode, from: next)
    }

    func use(
        _ found: Found,
        at now: Double,
        after error: (any Error)? = nil,
        renewal: Running? = nil
    ) -> ReadResult<Value> {
        noteUse(of: found.entry, at: now)
        noteUseByLoad(of: found.entry)
        if !found.freshness.isFresh {
            var wait: LoadChain.Renewal?
            if let renewal { wait = { [core] in (try? await renewal.result(core.clock)?.get().isStale) == false } }
            noteStaleValue(error, renewal: wait)
        }
        statistics.add(found.freshness.isFresh ? .hit : .stale)
        return result(found, at: now, after: error)
    }

    private func noteStaleValue(
        _ error: (any Error)?,
        isOutdated: Bool = false,
        renewal: LoadChain.Renewal? = nil
    ) {
        LoadChain.current?.noteStaleValue(error, isOutdated: isOutdated, renewal: renewal)
        DataUse.noteDoor("a stale value of \(name)")
    }

    func result(_ found: Found, at now: Double, after error: (any Error)? = nil) -> ReadResult<Value> {
        var result = ReadResult(
            value: found.entry.value,
            origin: found.entry.takeOrigin(),
            age: .seconds(max(0, now - found.entry.loaded)),
            loaded: found.entry.loaded,
            isStale: !found.freshness.isFresh,
            error: error,
            version: core.version(at: found.validEpoch)
        )
        result.kept = KeptValue(found.entry, in: self)
        return result
    }

    /// Returns a result with the changes of commands that have not ended, or that no load has confirmed yet.
    func withUnconfirmedChanges(_ result: ReadResult<Value>, of query: Q) -> ReadResult<Value> {
        let key = currentKey(of: query)
        let epoch = find(key)?.entry.epoch ?? .max
        return state.withLock { state in
            var layers = state.watches[key]?.layers ?? state.watches.layers(of: key)
            layers.rebase(on: result.value, loadedIn: epoch)
            guard let value = layers.value else { return result }
            return result.with(value, isOptimistic: layers.areVisible(in: value))
        }
    }

    private func load(
        _ key: ScopedQuery<Q>,
        _ mode: ReadMode.Kind,
        from next: some Dispatcher
    ) async throws -> ReadResult<Value> {
        let chain = LoadChain.current
        if let chain, chain.contains(self, key) {
            // A handler that dispatches its own query would wait for itself.
            return ReadResult(value: try await chain.passing(self, key) { try await next.dispatch(key.query) })
        }
        let asked = core.epochs.current
        var (load, result, isJoined) = try await loadOnce(key, mode, chain, from: next)
        // The scope of the one who began the load has ended, and not that of this caller.
        while isJoined, case .failure(let error as any ScopeError) = result, error.isEndOfScope {
            (load, result, isJoined) = try await loadOnce(key, mode, chain, from: next)
        }
        // Something that it has read may have been written before this caller joined it.
        guard let load, core.data.isTracking, load.epoch < asked, isOutdated(load) else { return try result.get() }
        return try await loadOnce(key, mode, chain, from: next).result.get()
    }

    private func loadOnce(
        _ key: ScopedQuery<Q>,
        _ mode: ReadMode.Kind,
        _ chain: LoadChain?,
        from next: some Dispatcher
    ) async throws -> (load: Running?, result: Result<ReadResult<Value>, any Error>, isJoined: Bool) {
        // A canceled caller begins nothing.
        try Task.checkCancellation()
        let (load, isJoined): (Running, Bool)
        switch join(key, mode, from: next) {
        case .load(let joined, let isRunning): (load, isJoined) = (joined, isRunning)
        case .found(let found): return (nil, .success(use(found, at: core.seconds)), false)
        case .failed(let failure):
            statistics.add(.hit)
            noteUse(of: failure.tags)
            throw failure.error
        }
        defer {
            load.unsubscribe()
            noteUse(of: load.tagsOrDoor)
        }
        if let chain { try core.waits.begin(of: chain, for: load) }
        defer { if let chain { core.waits.end(of: chain, for: load) } }
        return (load, await wait(for: load, key, mode), isJoined)
    }

    /// Waits for a load, and returns its value or the one that replaces it.
    private func wait(
        for load: Running,
        _ key: ScopedQuery<Q>,
        _ mode: ReadMode.Kind
    ) async -> Result<ReadResult<Value>, any Error> {
        let limit = fallback(key, mode) == nil ? policy.hardTimeout : policy.softTimeout ?? policy.hardTimeout
        let failure: any Error
        switch await load.result(within: limit, core.clock) {
        case .success(let result)?:
            let isOutdated = isOutdated(load)
            if isOutdated || result.isStale { noteStaleValue(result.error, isOutdated: isOutdated) }
            return .success(isOutdated ? result.with(result.value, isStale: true) : result)
        case .failure(let error)?: failure = error
        case nil:
            guard !Task.isCancelled else { return .failure(CancellationError()) }
            load.keep(for: .background)
            failure = CacheTimeout(query: name, timeout: limit ?? .zero)
        }
        guard let found = await replacement(key, mode) else { return .failure(failure) }
        return .success(use(found, at: core.seconds, after: failure))
    }

    /// Returns the value in memory, or with `freshOrStale` in the store, that replaces a failed load.
    private func replacement(_ key: ScopedQuery<Q>, _ mode: ReadMode.Kind) async -> Found? {
        if let found = fallback(key, mode) { return found }
        return mode == .freshOrStale ? await promote(key) : nil
    }

    /// Returns the value in memory that replaces a failed load, if the mode or the policy permits that.
    private func fallback(_ key: ScopedQuery<Q>, _ mode: ReadMode.Kind) -> Found? {
        guard mode != .fresh, let found = find(key),
            mode == .freshOrStale || found.freshness.isUsableOnError
        else { return nil }
        return found
    }
}
