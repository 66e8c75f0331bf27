import Duet

/// The running loads of one query, and the errors of earlier ones.
struct Loads<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    typealias Key = ScopedQuery<Q>
    typealias Running = Load<ReadResult<Q.Value>>

    /// The number of errors at which old ones are dropped.
    private static var failureLimit: Int { 256 }

    /// The number of the last load that began, or value that arrived.
    private(set) var lastNumber = 0
    private var running: [Key: Running] = [:]
    /// Loads that were replaced, and go on for observers: invalidations may come faster than loads end.
    private var replaced: [Key: Running] = [:]
    private var failures: [Key: Failure] = [:]

    /// The running load of a key, whether its value will be valid or not.
    func current(of key: Key) -> Running? { running[key] }

    func isRunning(_ key: Key) -> Bool { running[key] != nil }

    /// Returns the next place in the order in which loads begin and values arrive.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Running

    /// Begins a load in place of another one.
    ///
    /// - Parameters:
    ///   - arrival: The place of the arrival of the observed value, which observers can see replaced by that of a load
    ///     which began later; nil if the value is not observed.
    /// - Returns: The load, and the task of the replaced one if nobody needs that any more.
    mutating func begin(
        _ key: Key,
        observedSince arrival: Int?,
        _ make: (_ number: Int) -> Running
    ) -> (load: Running, obsolete: Task<Void, any Error>?) {
        let load = make(nextNumber())
        guard let old = running.updateValue(load, forKey: key) else { return (load, nil) }
        // Later invalidations would not find it.
        old.markInvalid()
        guard let arrival, old.number > arrival, replaced[key] == nil else { return (load, old.removeObservers()) }
        replaced[key] = old
        return (load, nil)
    }

    /// Notes that a load has ended, and returns whether no other one has replaced it.
    mutating func end(_ load: Running, of key: Key) -> Bool {
        if replaced[key] === load { replaced[key] = nil }
        guard running[key] === load else { return false }
        running[key] = nil
        return true
    }

    /// Forgets the replaced load of a key, whose value nobody needs, and returns its task.
    mutating func dropReplaced(of key: Key) -> Task<Void, any Error>? {
        replaced.removeValue(forKey: key)?.removeObservers()
    }

    /// Notes that nobody observes a value any more, and returns the tasks that nobody needs.
    mutating func removeObservers(of key: Key) -> [Task<Void, any Error>] {
        [running[key]?.removeObservers(), dropReplaced(of: key)].compactMap(\.self)
    }

    func markInvalid(where isStale: (Q) -> Bool) {
        for (key, load) in running where isStale(key.query) { load.markInvalid() }
    }

    // MARK: Errors

    /// The error that is still thrown for a key at a time; nil while a load is running.
    func failure(of key: Key, at now: Double, isInvalidated: InvalidationCheck) -> Failure? {
        guard running[key] == nil, let failure = failures[key], failure.isFresh(at: now),
            !isInvalidated(failure.epoch, failure.tags)
        else { return nil }
        return failure
    }

    /// Whether an error is still the one of its key.
    func isCurrent(_ failure: Failure, of key: Key) -> Bool { failures[key]?.dates == failure.dates }

    /// Replaces the error of a key, or removes it after a success.
    mutating func note(_ failure: Failure?, of key: Key, at now: Double) {
        guard let failure else {
            if !failures.isEmpty { failures[key] = nil }
            return
        }
        if failures.count >= Self.failureLimit {
            failures = failures.filter { $0.value.isFresh(at: now) }
            if failures.count >= Self.failureLimit { failures = [:] }
        }
        failures[key] = failure
    }

    mutating func removeFailures(where isStale: (Q) -> Bool = { _ in true }) {
        failures = failures.filter { !isStale($0.key.query) }
    }
}

/// The error of a load, for a policy with ``CachePolicy/cachingErrors(for:where:)``.
struct Failure {
    let error: any Error
    let dates: StoredDates
    let epoch: Epoch
    let tags: [Tag]

    func isFresh(at now: Double) -> Bool { now >= dates.loaded && now < dates.expires }
}
