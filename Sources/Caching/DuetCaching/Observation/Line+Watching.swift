import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

extension Line {
    /// Returns a function that begins the observation of a query.
    func watch(_ query: Q, from next: any Dispatcher) -> @Sendable () -> AsyncStream<QueryState<Value>> {
        guard Self.isCacheable(query) else { return { [self] in onlyState(of: query, from: next) } }
        return { [self] in
            let key = ScopedQuery(query: query, scope: rule.scope.current)
            let (stream, continuation) = AsyncStream.makeStream(
                of: QueryState<Value>.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let context = TaskContext.current
            let isLive = isLive(next)
            let (id, found, failure) = state.withLock { state in
                // Under the lock, so that no load ends unseen in between.
                let found = find(key.query, key.scope, at: core.seconds)
                var watch = currentWatch(key, found, state)
                let failure = isLive || found?.freshness.isFresh == true ? nil : cachedFailure(of: key, state)
                if let failure { watch.note(failure.error) }
                let lastLoad = state.lastLoad
                let id = watch.add { [weak self] id in
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

    /// Loads a value when its stored error has expired.
    private func refresh(
        _ key: ScopedQuery<Q>,
        after failure: Failure,
        from next: any Dispatcher
    ) -> Task<Void, any Error> {
        Task { [weak self, core] in
            try await core.clock.sleep(for: .seconds(max(0, failure.dates.expires - core.seconds)))
            guard let self, state.withLock({ $0.failures[key]?.dates == failure.dates }) else { return }
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
        let key = ScopedQuery(query: query, scope: rule.scope.current)
        return state.withLock { currentWatch(key, find(key.query, key.scope, at: core.seconds), $0).state }
    }

    /// The watch of a key, or a new one, with the present freshness of the value.
    private func currentWatch(_ key: ScopedQuery<Q>, _ found: Found?, _ state: State) -> Watch<Value> {
        var watch = state.watches[key] ?? newWatch(key, found, state)
        // A value whose changes are reported does not age.
        if let found, state.followers[key]?.isPaused != false { watch.note(found.freshness) }
        return watch
    }

    private func newWatch(_ key: ScopedQuery<Q>, _ found: Found?, _ state: State) -> Watch<Value> {
        let isLoading = state.loads[key] != nil
        var watch = Watch(
            state.layers(of: key),
            isLoading: isLoading,
            epoch: found?.entry.epoch ?? core.epochs.current,
            tags: found?.entry.tags ?? rule.tags(key.query).map(core.tags.tag),
            versionID: core.versionID
        )
        if let found {
            let entry = found.entry
            watch.newestLoad = state.lastLoad
            watch.show(entry.value, entry.loaded, found.freshness, entry.epoch, isLoading: isLoading)
        }
        return watch
    }

    private func unwatch(_ key: ScopedQuery<Q>, _ id: Int) {
        let (follower, tasks, next) = state.withLock { state in
            state.watches[key]?.remove(id)
            let next = state.watches[key]?.oldestObserver
            if next == nil { state.watches[key] = nil }
            let loads = next == nil ? [state.loads[key], state.outdated.removeValue(forKey: key)] : []
            let tasks = loads.compactMap { $0?.removeObservers() }
            // Another observer goes on with its own dispatcher.
            let isReplaced = next == nil || state.followers[key]?.observer == id
            return (isReplaced ? state.followers.removeValue(forKey: key) : nil, tasks, isReplaced ? next : nil)
        }
        follower?.task.cancel()
        for task in tasks { task.cancel() }
        next?.follow?()
    }
}

extension TaskContext {
    /// Runs a function in this context, outside of any load.
    fileprivate func runAnew(_ body: () -> Void) { run { LoadChain.$current.withValue(nil) { body() } } }
}

extension Watch {
    /// Shows a value that was found in the store.
    mutating func show<Q>(_ found: Line<Q>.Found, isLoading: Bool) where Q.Value == Value {
        guard state.value == nil || found.entry.loaded > state.loaded ?? -.infinity else {
            return update { $0.isLoading = isLoading }
        }
        isMarkedInvalid = isMarkedInvalid || found.entry.isInvalidatedByRule
        note(found.entry.epoch, found.entry.tags)
        show(found.entry.value, found.entry.loaded, found.freshness, found.entry.epoch, isLoading: isLoading)
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
