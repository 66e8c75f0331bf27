import Duet
import Synchronization

extension CachedQuery {
    /// Invalidates all values, in constant time except for observed ones.
    func invalidateAll() {
        _ = state.withLock { _ in all.invalidate(core.epochs) }
        core.data.noteChange(of: name)
        markStored()
        statistics.add(.invalidated)
    }

    /// Invalidates the values of some queries, and the loads of such values.
    func invalidate(where isStale: @escaping @Sendable (Q) -> Bool) {
        let mark = state.withLock { state in
            let epoch = some.invalidate(core.epochs)
            state.loads.markInvalid(where: isStale)
            state.loads.removeFailures(where: isStale)
            entries.forEach { if isStale($0.query) { $0.markInvalid() } }
            state.watches.markInvalid(where: isStale)
            return markStored(&state, at: epoch, where: isStale)
        }
        mark?()
        core.data.noteChange(of: name)
        statistics.add(.invalidated)
    }

    /// Removes all values, after everything was invalidated.
    func removeAll() {
        let removed = state.withLock { state in
            state.loads.removeFailures()
            state.watches.removeValues(before: state.loads.lastNumber)
            return entries.removeAll()
        }
        core.order.remove(removed.lazy.map { $0 as any Evictable })
    }

    /// Removes the values that nobody observes from memory.
    func removeUnobserved() {
        let removed = state.withLock { state -> [Entry<Q>] in
            var removed: [Entry<Q>] = []
            entries.forEach { entry in
                let key = ScopedQuery(query: entry.query, scope: entry.scope)
                if state.watches[key] == nil, entries.remove(entry) { removed.append(entry) }
            }
            return removed
        }
        core.order.remove(removed.lazy.map { $0 as any Evictable })
    }

    /// Notes what loads must have from now on, if the command may have concerned this query.
    func require(_ requirement: Requirement) {
        let start = requirement.start
        guard
            !all.isValid(start) || !some.isValid(start) || !core.everything.isValid(start)
                || rule.hasTags && !core.tagged.isValid(start) || core.data.hasWrites(since: start)
        else { return }
        state.withLock { $0.required.advance(to: requirement.version) }
    }

    /// Loads invalidated values that are observed, or waits a moment until they are reported.
    ///
    /// - Parameter requirement: The version that the values must have, which may be reported.
    func refreshInvalidated(_ requirement: Requirement?) {
        let chain = LoadChain.current
        let actions = state.withLock { state in
            var moment = moment(state.loads)
            moment.isOwnLoad = { chain?.contains(self, $0) == true }
            moment.causes = chain?.causesOfNext ?? LoadCauses()
            moment.cycle = { [causes = moment.causes] in causes.cycle(of: self, $0) }
            return state.watches.refreshInvalidated(requirement, at: moment)
        }
        carryOut(actions)
    }

    /// Loads all observed values again.
    func refreshObserved() { carryOut(state.withLock(\.watches.loads)) }

    func moment(_ loads: Loads<Q>) -> Moment<Q> {
        Moment(
            epoch: core.epochs.current,
            time: core.elapsed(),
            isInvalidated: isInvalidated,
            isLoading: loads.isRunning
        )
    }

    func carryOut(_ action: Watches<Q>.Action?) {
        if let action { carryOut([action]) }
    }

    /// Does what is left to do when the state is not locked any more.
    func carryOut(_ actions: [Watches<Q>.Action]) {
        for action in actions {
            switch action {
            case .call(let function): function()
            case .cancel(let task): task.cancel()
            case .keep(let value, let version, let key, let epoch): receive(value, version, key, from: epoch)
            case .load(let key, let pause):
                after(pause) { query in
                    query.state.withLock { state in
                        let isLoading = state.loads.isRunning(key)
                        return state.watches.endReloadPause(of: key, at: query.core.elapsed(), isLoading: isLoading)
                    }
                }
            case .await(let version, let key):
                after(reportTimeout) { query in
                    query.state.withLock { $0.watches.endWait(for: version, key, at: query.core.elapsed()) }
                }
            }
        }
    }

    private func after(_ pause: Duration, _ next: @escaping @Sendable (CachedQuery) -> Watches<Q>.Action?) {
        Task.detached { [weak self, clock = core.clock] in
            try? await clock.sleep(for: pause)
            guard let self, let action = next(self) else { return }
            carryOut([action])
        }
    }
}

/// How long observers wait for the report of a command's changes, before they load the value.
private let reportTimeout = Duration.seconds(1)

/// The version that a command of this client has led to in a cache elsewhere.
struct Requirement {
    let version: CacheVersion
    /// The epoch before the rules of the command were carried out here.
    let start: Epoch
    /// The epoch afterward; the version tells nothing about later changes.
    let end: Epoch
}

/// The cached values of a query of any type.
protocol AnyCachedQuery: AnyObject, Sendable {
    var name: String { get }
    func count(_ event: QueryCounters.Event) -> Int
    func invalidateAll()
    func removeAll()
    func removeUnobserved()
    func require(_ requirement: Requirement)
    func refreshInvalidated(_ requirement: Requirement?)
    func evict(_ entry: any Evictable)
    func refreshObserved()
    var observerCount: Int { get }
    func endUpdate(_ id: Int)
    func noteCommit(ofUpdate id: Int)
    func confirmUpdate(_ id: Int, by success: CommandSuccess)
    func checks(with handler: any Dispatcher) async -> [RuleCheck]
    var storedCopies: [StoredCopy] { get }
    func explanations(
        limit: Int,
        rules: (_ query: ObjectIdentifier, _ hasTags: Bool) -> [CacheRule]
    ) -> [CacheExplanation]
}

extension CachedQuery: AnyCachedQuery {
    func evict(_ entry: any Evictable) {
        guard let entry = entry as? Entry<Q>, entries.remove(entry), usableUntil(entry) > core.seconds else { return }
        statistics.add(.evicted)
    }

    func count(_ event: QueryCounters.Event) -> Int {
        statistics.count(event) + (event == .hit ? entries.hits : 0)
    }

    var observerCount: Int { state.withLock(\.watches.observerCount) }
}
