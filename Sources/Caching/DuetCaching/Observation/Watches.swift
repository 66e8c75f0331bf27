import Duet

/// The observed values of one query, and the changes that commands make to them before they have ended.
struct Watches<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    typealias Key = ScopedQuery<Q>
    typealias Value = Q.Value

    /// The work that is left when the state is not locked any more.
    enum Action {
        /// Calls a function of an observer, which loads the value or follows its changes in the observer's context.
        case call(@Sendable () -> Void)
        /// Loads a value after a pause.
        case load(Key, after: Duration)
        /// Loads a value if a version is not reported in time.
        case await(CacheVersion, Key)
        case cancel(Task<Void, Never>)
        /// Keeps a reported value, which contains what has invalidated it.
        case keep(Value, CacheVersion?, Key, Epoch)
    }

    /// The shortest time between two loads of an observed value that invalidations cause.
    private static var reloadPause: Duration { .milliseconds(100) }

    /// The number of changes of successful commands.
    private(set) var confirmations = 0
    private var watches: [Key: Watch<Value>] = [:]
    private var reports: [Key: LiveReports<Value>] = [:]
    private var lastReports = 0
    /// The changes of commands that have not ended, in dispatch order.
    private var changes: [CommandUpdate<Q>] = []
    private var lastChange = 0

    subscript(_ key: Key) -> Watch<Value>? {
        get { watches[key] }
        _modify { yield &watches[key] }
    }

    var observerCount: Int { watches.values.reduce(0) { $0 + $1.observerCount } }

    /// The tasks that follow the changes of values.
    var reportTasks: [Task<Void, Never>] { reports.values.compactMap(\.task) }

    /// Loads all values again.
    var loads: [Action] { watches.values.compactMap { $0.oldestObserver.map { .call($0.refresh) } } }

    // MARK: Observers

    /// Removes an observer, and returns what is left to do, and whether it was the last one.
    mutating func remove(_ observer: Int, of key: Key) -> (actions: [Action], isLast: Bool) {
        watches[key]?.remove(observer)
        let next = watches[key]?.oldestObserver
        if next == nil { watches[key] = nil }
        guard next == nil || reports[key]?.observer == observer else { return ([], false) }
        // Another observer goes on with its own dispatcher.
        let task = reports.removeValue(forKey: key)?.task
        return ([task.map(Action.cancel), next?.follow.map(Action.call)].compactMap(\.self), next == nil)
    }

    // MARK: Invalidating

    /// Marks values that a rule has made stale.
    mutating func markInvalid(where isStale: (Q) -> Bool) {
        for key in watches.keys where isStale(key.query) { watches[key]?.isMarkedInvalid = true }
    }

    /// Forgets all values, and those of the loads up to a number.
    mutating func removeValues(before load: Int) {
        for key in watches.keys { watches[key]?.removeValue(before: load) }
    }

    /// Loads the values that are invalid now, or waits a moment until they are reported.
    ///
    /// - Parameter requirement: The version that the values must have, which may be reported.
    mutating func refreshInvalidated(_ requirement: Requirement?, at moment: Moment<Q>) -> [Action] {
        watches.keys.compactMap { key in
            guard let watch = watches[key], watch.isInvalid(moment.isInvalidated) else {
                // Another command may have found the value that this one has invalidated.
                guard let requirement, let watch = watches[key], watch.required != nil,
                    watch.handledEpoch > requirement.start
                else { return nil }
                return awaitReport(of: requirement.version, key) ?? reload(key, at: moment.time)
            }
            // A value that contains its change would show it twice.
            guard !watch.layers.areCommitting else { return nil }
            if watch.includes(requirement?.version) {
                // The report was faster than the response to the command, or the value was loaded later.
                let epoch = min(moment.epoch, requirement?.end ?? .max)
                watches[key]?.validate(at: epoch)
                return isReported(key) ? watch.layers.base.map { .keep($0, watch.source, key, epoch) } : nil
            }
            watches[key]?.invalidate(at: moment.epoch)
            // The load that causes this shows its value as stale when it ends.
            guard !moment.isOwnLoad(key) else { return nil }
            if let cycle = moment.cycle(key) {
                watches[key]?.stop(cycle)
                return nil
            }
            watches[key]?.noteCauses(moment.causes)
            let wait = requirement.flatMap { awaitReport(of: $0.version, key) }
            return moment.isLoading(key) ? reload(key, at: moment.time) : wait ?? reload(key, at: moment.time)
        }
    }

    /// Loads an observed value again.
    ///
    /// The first load begins at once. Further ones wait for the end of a pause, so that many invalidations cause few
    /// loads.
    mutating func reload(_ key: Key, at time: Duration) -> Action? {
        guard let watch = watches[key], !watch.isReloadDelayed else { return nil }
        if let last = watch.lastReload, time < last + Self.reloadPause {
            watches[key]?.isReloadDelayed = true
            return .load(key, after: last + Self.reloadPause - time)
        }
        watches[key]?.lastReload = time
        return watch.oldestObserver.map { .call($0.refresh) }
    }

    /// Loads a value after the pause, if it still needs that.
    mutating func endReloadPause(of key: Key, at time: Duration, isLoading: Bool) -> Action? {
        guard let watch = watches[key], watch.isReloadDelayed else { return nil }
        watches[key]?.isReloadDelayed = false
        guard watch.cycle == nil else { return nil }
        let isUnconfirmed = reports[key]?.unconfirmed != nil
        // A load that was dropped has left the observers waiting.
        guard watch.needsReload || isUnconfirmed || watch.state.isLoading && !isLoading else { return nil }
        watches[key]?.lastReload = time
        return watch.oldestObserver.map { .call($0.refresh) }
    }
}

/// A moment at which values may be invalid.
struct Moment<Q: Query & Hashable> {
    let epoch: Epoch
    let time: Duration
    let isInvalidated: InvalidationCheck
    let isLoading: (ScopedQuery<Q>) -> Bool
    /// Whether the current task works for a load of the key.
    var isOwnLoad: (ScopedQuery<Q>) -> Bool = { _ in false }
    /// The loads for which the current task works, and what has caused them.
    var causes = LoadCauses()
    /// The error in place of a load of the key, which would be one of too many that cause each other.
    var cycle: (ScopedQuery<Q>) -> CacheCycle? = { _ in nil }
}

// MARK: Changes of commands

extension Watches {
    /// Shows a change to the observers in a scope until it ends.
    mutating func begin(_ update: @escaping @Sendable (inout Value, Q) -> Void, in scope: String?) -> Int {
        lastChange += 1
        let change = CommandUpdate(id: lastChange, scope: scope, update: update)
        changes.append(change)
        for key in watches.keys where key.scope == scope { watches[key]?.add(change.layer(for: key.query)) }
        return lastChange
    }

    /// Withdraws a change.
    mutating func end(_ id: Int) {
        changes.removeAll { $0.id == id }
        for key in watches.keys { watches[key]?.removeLayer(id) }
    }

    /// Notes that a running command has committed, after which loaded values contain its change.
    mutating func noteCommit(of id: Int, at epoch: Epoch) {
        for index in changes.indices where changes[index].id == id { changes[index].committed = epoch }
        for key in watches.keys { watches[key]?.noteCommit(of: id, at: epoch) }
    }

    /// Notes that a command has succeeded, so that its change stays until a value contains it.
    ///
    /// - Returns: The change, to make it in stored values, and the keys whose fresh values lack it.
    mutating func confirm(
        _ id: Int,
        by success: CommandSuccess,
        isInvalidated: InvalidationCheck
    ) -> (change: CommandUpdate<Q>?, lacking: [Key]) {
        var lacking: [Key] = []
        let change = changes.first { success.isCertain && $0.id == id }
        changes.removeAll { $0.id == id }
        for (key, watch) in watches {
            if watch.includes(success.version) {
                watches[key]?.removeLayer(id)
                continue
            }
            // Another task may have begun to load invalidated values since the epoch.
            let isInvalid = watch.handledEpoch >= success.epoch || watch.isInvalid(isInvalidated)
            watches[key]?.confirmLayer(id, by: success, isInvalidated: isInvalid)
            if !isInvalid, watches[key]?.isMarkedInvalid == true { lacking.append(key) }
        }
        confirmations += 1
        return (change, lacking)
    }

    /// The changes of running commands to the value of a key.
    func layers(of key: Key) -> OptimisticLayers<Value> {
        let shown = changes.filter { $0.scope == key.scope }
        return OptimisticLayers(shown.map { $0.layer(for: key.query) })
    }
}

/// The change of a running command to the values of one scope.
struct CommandUpdate<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    let id: Int
    let scope: String?
    let update: @Sendable (inout Q.Value, Q) -> Void
    /// The epoch of its last commit; nil if it has committed nothing.
    var committed: Epoch?

    func layer(for query: Q) -> OptimisticLayers<Q.Value>.Layer {
        OptimisticLayers.Layer(id: id, update: { [update] value in update(&value, query) }, committed: committed)
    }

    /// Returns the value with the change, or nil for a value that stays as it is.
    func changed(_ value: Q.Value, of query: Q) -> Q.Value? {
        var changed = value
        update(&changed, query)
        return areEqual(changed, value) == true ? nil : changed
    }
}

struct CommandSuccess {
    let epoch: Epoch
    /// Whether the command has succeeded; otherwise a failed load ends its change, too.
    var isCertain = true
    /// The version that the command has led to elsewhere.
    var version: CacheVersion?

    /// Whether a value that was loaded in an epoch, or has a version, contains what the command has changed.
    func isContained(inLoadOf epoch: Epoch, _ version: CacheVersion?) -> Bool {
        self.epoch <= epoch || self.version.map { version?.includes($0) == true } ?? false
    }
}

// MARK: Reports

extension Watches {
    /// The versions of the observed value, and of the last report.
    func versions(of key: Key) -> [CacheVersion] { [watches[key]?.source, reports[key]?.version].compactMap(\.self) }

    /// Whether changes of a value are being reported, so that it does not age.
    func areReported(_ key: Key) -> Bool { reports[key]?.isPaused == false }

    /// Begins to follow the changes of an observed value for an observer, unless another one does.
    ///
    /// - Returns: The identifier of the reports, and what is left to do; nil if another observer follows.
    mutating func follow(_ key: Key, for observer: Int, at number: Int) -> (id: Int, actions: [Action])? {
        let old = reports[key]
        guard old?.isPaused != false, watches[key] != nil else { return nil }
        watches[key]?.update { $0.isLoading = true }
        lastReports += 1
        reports[key] = LiveReports(id: lastReports, observer: observer, began: number)
        return (lastReports, [old?.task.map(Action.cancel)].compactMap(\.self))
    }

    /// Notes the task that follows changes, and returns whether they are still followed.
    mutating func note(_ task: Task<Void, Never>, of key: Key, _ id: Int) -> Bool {
        guard reports[key]?.id == id else { return false }
        reports[key]?.task = task
        return true
    }

    /// - Returns: Whether the reports are still those of the value.
    mutating func setPaused(_ isPaused: Bool, _ key: Key, _ id: Int) -> Bool {
        guard reports[key]?.id == id else { return false }
        reports[key]?.isPaused = isPaused
        return true
    }

    /// Whether the value is the one that was reported last.
    private func isReported(_ key: Key) -> Bool {
        watches[key]?.layers.base != nil && watches[key]?.arrival == reports[key]?.lastArrival
    }

    /// Waits for the version that a value must have, or loads it.
    private mutating func awaitRequired(_ key: Key, at time: Duration) -> Action? {
        guard let required = watches[key]?.required else { return nil }
        return awaitReport(of: required, key) ?? reload(key, at: time)
    }

    /// Requires a version, and waits for it if its cache reports changes here.
    private mutating func awaitReport(of version: CacheVersion, _ key: Key) -> Action? {
        watches[key]?.require(version)
        guard areReported(key), reports[key]?.version?.cache == version.cache else { return nil }
        watches[key]?.update { $0.isLoading = true }
        return .await(version, key)
    }

    /// Loads a value that does not have a version in time.
    mutating func endWait(for version: CacheVersion, _ key: Key, at time: Duration) -> Action? {
        guard let watch = watches[key], watch.required != nil, !watch.includes(version) else { return nil }
        return reload(key, at: time)
    }

    /// Notes a report without a value, and returns the value that it confirms for a command, or what is left to do.
    mutating func noteConfirmation(_ version: CacheVersion, _ key: Key, at moment: Moment<Q>) -> (Value?, Action?) {
        reports[key]?.version = version
        guard let watch = watches[key], isReported(key) else { return (nil, awaitRequired(key, at: moment.time)) }
        watches[key]?.confirm(version)
        guard let required = watch.required else { return (nil, nil) }
        return version.includes(required)
            ? (watch.layers.base, nil) : (nil, moment.isLoading(key) ? nil : awaitRequired(key, at: moment.time))
    }

    /// Notes the end of a load, and returns the reported value that it could not replace.
    mutating func noteLoad(_ key: Key, succeeded: Bool, at number: Int) -> Arrival<Value>? {
        guard let report = reports[key]?.unconfirmed else { return nil }
        reports[key]?.unconfirmed = nil
        // Nothing was reported since, so the next report is newer.
        reports[key]?.lastArrival = number
        return succeeded ? nil : report
    }

    /// Whether a change was reported since a load began, and the value of the load is not known to be newer.
    func isDoubtful(_ load: Int, _ source: CacheVersion?, _ key: Key) -> Bool {
        guard let reports = reports[key], reports.lastArrival > load else { return false }
        return reports.version?.isOlder(than: source) != true
    }

    /// Notes a reported value, and returns whether it can be kept as a fresh one.
    ///
    /// - Parameters:
    ///   - number: The place of its arrival.
    ///   - isKnown: Whether the value is the one that was loaded last.
    mutating func note(
        _ report: Arrival<Value>,
        _ key: Key,
        at number: Int,
        isKnown: () -> Bool,
        at moment: Moment<Q>
    ) -> (isKept: Bool, Action?) {
        guard let watch = watches[key] else { return (false, nil) }
        let order = watch.order(of: report.source, began: reports[key]?.lastArrival ?? number)
        reports[key]?.lastArrival = number
        if let source = report.source { reports[key]?.version = source }
        let isMissing = watch.required.map { report.source?.includes($0) != true } ?? false
        let isLoading = moment.isLoading(key) || watch.isReloadDelayed
        // An invalidation whose rules have been carried out will load the value, or wait for a report.
        let isInvalid = isMissing || isLoading || watch.isInvalid(moment.isInvalidated)
        let wait = isMissing && !isLoading ? awaitRequired(key, at: moment.time) : nil
        switch order {
        case .older:
            watches[key]?.update { state in
                state.error = nil
                state.isLoading = isLoading || isMissing
            }
            return (false, wait)
        case .newer where isInvalid:
            watches[key]?.show(report.lackingChanges, at: number)
            return (false, wait)
        case .unknown where (isInvalid || watch.required == nil) && !isKnown():
            reports[key]?.unconfirmed = report
            return (false, wait ?? (isLoading ? nil : watch.oldestObserver.map { .call($0.refresh) }))
        case .newer, .unknown: return (!isInvalid, wait)
        }
    }
}
