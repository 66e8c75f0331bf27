import Duet
import Foundation
import ServiceContextModule
import Synchronization

extension Line {
    /// Returns a function that begins the observation of a query.
    func watch(
        _ query: Q,
        every interval: Duration?,
        from next: any Dispatcher
    ) -> @Sendable () -> AsyncStream<QueryState<Value>> {
        { [self] in
            let key = ScopedQuery(query: query, scope: rule.scope.current)
            let (stream, continuation) = AsyncStream.makeStream(
                of: QueryState<Value>.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let (id, found) = state.withLock { state in
                // Under the lock, so that no load ends unseen in between.
                let found = find(key.query, key.scope, at: core.seconds)
                var watch = state.watches[key] ?? newWatch(key, found, state, from: next)
                // A value whose changes are reported does not age.
                if let found, state.followers[key] == nil { watch.note(found.freshness) }
                let id = watch.add(continuation)
                state.watches[key] = watch
                return (id, found)
            }
            let timer = interval.map { refresh(key, every: $0, from: next) }
            continuation.whenEnded { [weak self] in
                timer?.cancel()
                self?.unwatch(key, id)
            }
            if isLive(next) {
                follow(key, from: next)
            } else if found?.freshness.isFresh != true {
                refresh(key, usingStore: found == nil, from: next)
            }
            return stream
        }
    }

    private func refresh(
        _ key: ScopedQuery<Q>,
        every interval: Duration,
        from next: any Dispatcher
    ) -> Task<Void, any Error> {
        Task { [weak self, clock = core.clock] in
            while true {
                try await clock.sleep(for: interval)
                self?.refresh(key, from: next)
            }
        }
    }

    private func newWatch(
        _ key: ScopedQuery<Q>,
        _ found: Found?,
        _ state: State,
        from next: any Dispatcher
    ) -> Watch<Value> {
        let isLoading = state.loads[key] != nil
        var watch = Watch(
            state.layers(of: key),
            isLoading: isLoading,
            epoch: found?.entry.epoch ?? core.epochs.current,
            tags: found?.entry.tags ?? rule.tags(key.query).map(core.tags.tag),
            // In the context of the observer, because the value is stored under the observer's scope.
            refresh: { [weak self, context = ServiceContext.current ?? .topLevel] in
                ServiceContext.$current.withValue(context) {
                    LoadChain.$current.withValue(nil) { self?.refresh(key, from: next) }
                }
            }
        )
        if let found {
            let entry = found.entry
            watch.show(entry.value, entry.loaded, found.freshness, entry.epoch, isLoading: isLoading)
        }
        return watch
    }

    private func unwatch(_ key: ScopedQuery<Q>, _ id: Int) {
        let follower = state.withLock { state -> Task<Void, Never>? in
            state.watches[key]?.remove(id)
            guard state.watches[key]?.observerCount == 0 else { return nil }
            state.watches[key] = nil
            return state.followers.removeValue(forKey: key)
        }
        follower?.cancel()
    }
}

extension Watch {
    /// Shows a value that was found in the store.
    mutating func show<Q>(_ found: Line<Q>.Found, isLoading: Bool) where Q.Value == Value {
        guard state.value == nil || found.entry.loaded > state.date?.timeIntervalSinceReferenceDate ?? -.infinity else {
            return update { $0.isLoading = isLoading }
        }
        isMarkedInvalid = isMarkedInvalid || found.entry.isInvalidatedByRule
        note(found.entry.epoch, found.entry.tags)
        show(found.entry.value, found.entry.loaded, found.freshness, found.entry.epoch, isLoading: isLoading)
    }
}

extension QueryState {
    mutating func show(_ value: Value, _ loaded: Double, _ freshness: Freshness) {
        self.value = value
        generation += 1
        loads += 1
        date = Date(timeIntervalSinceReferenceDate: loaded)
        error = nil
        isStale = !freshness.isFresh
        isServable = freshness.isUsableWhileRevalidating
    }
}
