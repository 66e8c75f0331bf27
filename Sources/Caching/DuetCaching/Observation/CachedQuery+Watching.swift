import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

extension CachedQuery {
    /// Returns a function that begins the observation of a query.
    func watch(_ query: Q, from next: any Dispatcher) -> @Sendable () -> AsyncStream<QueryState<Value>> {
        guard Self.isCacheable(query) else { return { [self] in onlyState(of: query, from: next) } }
        return { [self] in
            let key = currentKey(of: query)
            let (stream, continuation) = AsyncStream.makeStream(
                of: QueryState<Value>.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let isLive = next.isLive(Q.self)
            let (id, found, failure) = add(continuation, to: key, isLive: isLive, from: next)
            let timer = failure.map { refresh(key, after: $0, from: next) }
            continuation.whenEnded { [weak self] in
                timer?.cancel()
                self?.unwatch(key, id)
            }
            if isLive {
                follow(key, id, from: next)
            } else if failure == nil, found?.freshness.isFresh != true {
                refresh(key, for: .observers, usingStore: found == nil, from: next)
            }
            return stream
        }
    }

    /// Adds an observer, and returns its number, and the value or the error that it sees first.
    private func add(
        _ continuation: AsyncStream<QueryState<Value>>.Continuation,
        to key: ScopedQuery<Q>,
        isLive: Bool,
        from next: any Dispatcher
    ) -> (id: Int, Found?, Failure?) {
        let context = TaskContext.current
        return state.withLock { state in
            // Under the lock, so that no load ends unseen in between.
            let found = find(key)
            var watch = currentWatch(key, found, state)
            let failure = isLive || found?.freshness.isFresh == true ? nil : failure(of: key, state)
            if let failure { watch.note(failure.error) }
            let id = watch.add { [weak self, lastLoad = state.loads.lastNumber] id in
                // The value is stored under the observer's scope, so it is loaded in the observer's context.
                let follow: @Sendable () -> Void = { context.runAnew { self?.follow(key, id, from: next) } }
                return Watch.Observer(
                    continuation: continuation,
                    lastLoad: lastLoad,
                    refresh: { context.runAnew { self?.refresh(key, for: .observers, from: next) } },
                    follow: isLive ? follow : nil
                )
            }
            state.watches[key] = watch
            return (id, found, failure)
        }
    }

    /// Loads a value when its stored error has expired.
    private func refresh(
        _ key: ScopedQuery<Q>,
        after failure: Failure,
        from next: any Dispatcher
    ) -> Task<Void, any Error> {
        Task { [weak self, core] in
            try await core.clock.sleep(for: .seconds(max(0, failure.dates.expires - core.seconds)))
            guard let self, state.withLock({ $0.loads.isCurrent(failure, of: key) }) else { return }
            refresh(key, for: .observers, from: next)
        }
    }

    /// The state of a query that is not equal to itself, which cannot be observed.
    private func onlyState(of query: Q, from next: any Dispatcher) -> AsyncStream<QueryState<Value>> {
        let (stream, continuation) = AsyncStream.makeStream(of: QueryState<Value>.self)
        let load = Task { [core] in
            var state = QueryState<Value>()
            do {
                state.show(try await next.dispatch(query), core.seconds, .fresh)
            } catch {
                state.error = error
            }
            continuation.yield(state)
            continuation.finish()
        }
        continuation.onTermination = { _ in load.cancel() }
        return stream
    }

    /// The state that an observer would see first, without the error of a load.
    func currentState(of query: Q) -> QueryState<Value> {
        let key = currentKey(of: query)
        return state.withLock { currentWatch(key, find(key), $0).state }
    }

    /// The watch of a key, or a new one, with the present freshness of the value.
    private func currentWatch(_ key: ScopedQuery<Q>, _ found: Found?, _ state: State) -> Watch<Value> {
        var watch = state.watches[key] ?? newWatch(key, found, state)
        // A value whose changes are reported does not age.
        if let found, !state.watches.areReported(key) { watch.note(found.freshness) }
        if let found, found.freshness.isFresh { watch.noteValid(in: found.validEpoch) }
        return watch
    }

    private func newWatch(_ key: ScopedQuery<Q>, _ found: Found?, _ state: State) -> Watch<Value> {
        let isLoading = state.loads.isRunning(key)
        var watch = Watch(
            state.watches.layers(of: key),
            isLoading: isLoading,
            epoch: found?.handledEpoch ?? core.epochs.current,
            tags: found?.entry.tags ?? rule.tags(key.query).map(core.tags.tag),
            versionID: core.versionID
        )
        guard let found else { return watch }
        watch.show(found.arrival(isLoading: isLoading, in: self), at: state.loads.lastNumber)
        return watch
    }

    private func unwatch(_ key: ScopedQuery<Q>, _ id: Int) {
        let (actions, tasks) = state.withLock { state in
            let (actions, isLast) = state.watches.remove(id, of: key)
            return (actions, isLast ? state.loads.removeObservers(of: key) : [])
        }
        for task in tasks { task.cancel() }
        carryOut(actions)
    }
}

extension TaskContext {
    /// Runs a function in this context, outside of any load.
    fileprivate func runAnew(_ body: () -> Void) {
        run { LoadChain.$current.withValue(nil) { DataUse.$current.withValue(nil) { body() } } }
    }
}

extension CachedQuery.Found {
    fileprivate func arrival(isLoading: Bool, in keeper: CachedQuery) -> Arrival<Q.Value> {
        Arrival(
            value: entry.value,
            loaded: entry.loaded,
            freshness: freshness,
            epoch: entry.epoch,
            validEpoch: validEpoch,
            source: entry.source,
            isLoading: isLoading,
            kept: KeptValue(entry, in: keeper)
        )
    }
}

extension Watch {
    /// Shows a value that was found in the store.
    mutating func show<Q>(_ found: CachedQuery<Q>.Found, isLoading: Bool, in keeper: CachedQuery<Q>)
    where Q.Value == Value {
        guard state.value == nil || found.entry.loaded > state.loaded ?? -.infinity else {
            return update { $0.isLoading = isLoading }
        }
        note(found.handledEpoch, found.entry.tags)
        show(found.arrival(isLoading: isLoading, in: keeper), at: arrival)
    }
}

extension QueryState {
    mutating func show(_ value: Value, _ loaded: Double, _ freshness: Freshness) {
        change(value)
        loads += 1
        self.loaded = loaded
        error = nil
        isStale = !freshness.isFresh
        isServable = freshness.isUsableWhileRevalidating
    }
}
