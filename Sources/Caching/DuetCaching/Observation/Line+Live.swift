import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

/// The task that follows the changes of a value which the dispatcher of an observer reports.
struct Follower<Value: Sendable>: Sendable {
    let id: UUID
    let observer: Int
    let task: Task<Void, Never>
    /// Whether the changes are not reported at the moment.
    var isPaused = false
    /// Whether the value was loaded after the last change was reported, so that the next one may be older.
    var isBehind = false
    /// A reported value that may be older than the loaded one, which is why a load is running.
    var doubtful: Value?
    /// The version of the last value that was reported with one.
    private var version: CacheVersion?
    /// The version that commands have led to, and that is not reported yet.
    private var awaited: CacheVersion?
    /// The number of times that a version was awaited.
    private var waits = 0

    init(id: UUID, observer: Int, task: Task<Void, Never>) {
        self.id = id
        self.observer = observer
        self.task = task
    }

    /// Notes the end of a load, and returns the reported value that it could not replace.
    mutating func noteLoad(succeeded: Bool) -> Value? {
        if succeeded { awaited = nil }
        guard let doubtful else {
            if succeeded { isBehind = true }
            return nil
        }
        self.doubtful = nil
        return succeeded ? nil : doubtful
    }

    /// Whether the changes up to a version were reported.
    func hasReported(_ version: CacheVersion?) -> Bool {
        guard let version, !isPaused else { return false }
        return self.version?.includes(version) == true
    }

    /// Awaits a version instead of an earlier one.
    mutating func awaitLater(_ version: CacheVersion?) {
        guard let version, let awaited, version.includes(awaited) else { return }
        self.awaited = version
    }

    /// Begins to await a version.
    ///
    /// - Returns: The number of the wait, zero if the version replaces an earlier one, or nil if it is not known that
    ///   the cache of the version reports its changes here.
    mutating func beginWait(for version: CacheVersion) -> Int? {
        guard !isPaused, self.version?.cache == version.cache else { return nil }
        // Loaded before the command, so that the report is newer.
        isBehind = false
        doubtful = nil
        guard awaited?.cache != version.cache else {
            awaitLater(version)
            return 0
        }
        awaited = version
        waits += 1
        return waits
    }

    /// Ends a wait, and returns whether its version was not reported.
    mutating func endWait(_ number: Int) -> Bool {
        guard number == waits, awaited != nil else { return false }
        awaited = nil
        return true
    }

    /// Notes the version of a report, and returns whether the value lacks changes of commands that have ended.
    mutating func isEarly(_ version: CacheVersion?) -> Bool {
        if let version { self.version = version }
        guard let awaited else { return false }
        guard version?.includes(awaited) == true else { return true }
        self.awaited = nil
        return false
    }

    /// Whether a version is awaited that another one includes.
    func awaits(_ version: CacheVersion?) -> Bool { awaited.map { version?.includes($0) == true } ?? false }
}

/// How long observers wait for the report of a command's changes, before they load the value.
private let reportTimeout = Duration.seconds(1)

/// The pauses before changes are followed again after they were no longer reported.
private let followingPauses = (first: Duration.seconds(1), last: Duration.seconds(60))

extension Line {
    /// Whether a dispatcher reports the changes of values, so that they need not be loaded.
    func isLive(_ next: any Dispatcher) -> Bool { next.isLive(Q.self) }

    /// Follows the changes that the dispatcher of an observer reports, until the observer leaves.
    ///
    /// If they are no longer reported, the value is loaded, and ages. New observers then load it again if it is stale.
    /// The next attempt to follow comes with the next observer, or after a pause.
    func follow(_ key: ScopedQuery<Q>, _ observer: Int, from next: any Dispatcher) {
        let replaced = state.withLock { state -> Follower<Value>? in
            let replaced = state.followers[key]
            guard replaced?.isPaused != false, state.watches[key] != nil else { return nil }
            state.watches[key]?.update { $0.isLoading = true }
            let id = UUID()
            state.followers[key] = Follower(
                id: id,
                observer: observer,
                task: Task { [weak self, clock = core.clock] in
                    // The observation is not part of the load that may have begun it.
                    await LoadChain.$current.withValue(nil) {
                        await self?.showStored(key)
                        var pause = followingPauses.first
                        while !Task.isCancelled {
                            if let states = next.updates(of: key.query) {
                                var updates = QueryUpdates(states)
                                while let update = await updates.next() {
                                    pause = followingPauses.first
                                    self?.receive(update, updates.version, key)
                                }
                            }
                            guard !Task.isCancelled, self?.setPaused(true, key, id) == true else { return }
                            self?.refresh(key, from: next)
                            try? await clock.sleep(for: pause)
                            guard !Task.isCancelled, self?.setPaused(false, key, id) == true else { return }
                            pause = min(pause * 2, followingPauses.last)
                        }
                    }
                }
            )
            return replaced
        }
        replaced?.task.cancel()
    }

    /// - Returns: Whether the follower is still the one of the value.
    private func setPaused(_ isPaused: Bool, _ key: ScopedQuery<Q>, _ id: UUID) -> Bool {
        state.withLock { state in
            guard state.followers[key]?.id == id else { return false }
            state.followers[key]?.isPaused = isPaused
            return true
        }
    }

    private func showStored(_ key: ScopedQuery<Q>) async {
        guard find(key.query, key.scope, at: core.seconds) == nil, let found = await promote(key) else { return }
        state.withLock { $0.watches[key]?.show(found, isLoading: true) }
    }

    /// Returns a function that loads a value unless a version is reported within ``reportTimeout``.
    ///
    /// It is nil if the changes of the value are not reported from the cache of the version.
    func awaitReport(
        of version: CacheVersion?,
        _ key: ScopedQuery<Q>,
        _ state: inout State
    ) -> (@Sendable () -> Void)? {
        guard let version, state.loads[key] == nil, let number = state.followers[key]?.beginWait(for: version)
        else { return nil }
        state.watches[key]?.update { $0.isLoading = true }
        guard number > 0 else { return {} }
        return { [weak self, clock = core.clock] in
            Task.detached {
                try? await clock.sleep(for: reportTimeout)
                self?.endWait(number, key)
            }
        }
    }

    private func endWait(_ number: Int, _ key: ScopedQuery<Q>) {
        let load = state.withLock { state in
            state.followers[key]?.endWait(number) == true ? reload(key, &state) : nil
        }
        load?()
    }

    private func receive(_ update: QueryUpdate<Value>, _ version: CacheVersion?, _ key: ScopedQuery<Q>) {
        switch update {
        case .value(let value): receive(value, version, key)
        case .confirmed:
            let value = state.withLock { state -> Value? in
                if state.followers[key]?.awaits(version) == true { return state.watches[key]?.layers.base }
                _ = state.followers[key]?.isEarly(version)
                return nil
            }
            if let value { receive(value, version, key) }
        case .unchanged:
            if let entry = find(key.query, key.scope, at: core.seconds)?.entry, !isInvalidated(entry) {
                return receive(entry.value, version, key)
            }
            state.withLock { $0.watches[key]?.update { $0.error = nil } }
        // It will not pass, so the reports end, and the load that follows tells the reason.
        case .failure(let error as any TemporaryError) where !error.isTemporary: break
        case .failure(let error):
            state.withLock { state in
                let isLoading = state.loads[key] != nil
                state.watches[key]?.update { state in
                    state.error = error
                    state.isLoading = isLoading
                }
            }
        }
    }

    func receive(_ value: Value, _ version: CacheVersion?, _ key: ScopedQuery<Q>) {
        let now = core.seconds
        let tags = rule.tags(key.query).map(core.tags.tag)
        let epoch = core.epochs.current
        let entry = newEntry(key, value, dates(of: value, loaded: now), epoch, tags)
        var storing: Storing?
        var refresh: (@Sendable () -> Void)?
        let (isStored, replaced) = state.withLock { state -> (Bool, Entry<Q>?) in
            guard state.watches[key] != nil else { return (false, nil) }
            let isEarly = state.followers[key]?.isEarly(version) == true
            // It is not known whether the value of a running load is newer, so the observer loads once more.
            if let load = state.loads[key] { load.markInvalid() }
            if isEarly || state.loads[key] != nil {
                state.watches[key]?.show(value, now, .fresh, 0, version, isLoading: true)
                return (false, nil)
            }
            if state.followers[key]?.isBehind == true {
                state.followers[key]?.isBehind = false
                let current = entries.entry(hash: key.tableHash, query: key.query, scope: key.scope)
                guard current.map({ areEqual($0.value, value) == true }) == true else {
                    state.followers[key]?.doubtful = value
                    refresh = state.watches[key]?.oldestObserver?.refresh
                    return (false, nil)
                }
            }
            storing = beginStoring(&state, nil)
            state.watches[key]?.finish(.success(value), epoch, tags, at: now, version)
            state.failures[key] = nil
            return (true, entries.insert(entry, hash: key.tableHash))
        }
        keep(entry, isStored: isStored, replacing: replaced, storing, at: now)
        refresh?()
    }

    /// The states of a query's value, as `QueryStates<Value>`.
    func updates(of query: Q, from next: any Dispatcher) -> (any Sendable)? {
        let context = TaskContext.current
        let watch = watch(query, from: next)
        return QueryStates<Value> {
            // In the context of the observer, whose scope and credentials the loads need.
            var states = context.run { watch() }.makeAsyncIterator()
            return { await states.next(isolation: #isolation) }
        }
    }
}
