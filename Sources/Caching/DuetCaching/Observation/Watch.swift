import Duet

/// A value that arrives for observers.
struct Arrival<Value: Sendable>: Sendable {
    let value: Value
    /// When it was loaded.
    let loaded: Double
    var freshness = Freshness.fresh
    /// The epoch in which its load began; zero if it may lack any change of a command.
    var epoch: Epoch
    /// The last epoch in which it is known to be valid; nil for the epoch of its load.
    var validEpoch: Epoch?
    /// The version of the cache that it comes from; nil if it comes from none.
    var source: CacheVersion?
    /// Whether a newer value is expected.
    var isLoading = false
    /// The error that it replaces.
    var error: (any Error)?
    /// The number of its load, if it was invalidated before that ended, and is the newest one.
    var outdatedLoad: Int?
    /// Its entry; nil if the cache keeps none.
    var kept: KeptValue?

    /// The value, which may lack changes of commands that have ended, so that a newer one is being loaded.
    var lackingChanges: Arrival {
        var arrival = self
        arrival.epoch = 0
        arrival.isLoading = true
        return arrival
    }
}

struct Watch<Value: Sendable>: Sendable {
    private enum NextLoad {
        case caused(by: LoadCauses)
        case stopped(CacheCycle)
    }

    /// One of the observers, with functions that run in its context and use its dispatcher.
    struct Observer {
        let continuation: AsyncStream<QueryState<Value>>.Continuation
        /// The number of the last load that began before the observer.
        let lastLoad: Int
        /// Loads the value again, unless a load is running.
        let refresh: @Sendable () -> Void
        /// Follows the changes that its dispatcher reports; nil if it reports none.
        let follow: (@Sendable () -> Void)?
    }

    private(set) var state: QueryState<Value>
    private(set) var layers: OptimisticLayers<Value>
    var isMarkedInvalid = false
    private(set) var source: CacheVersion?
    /// The entry of the value without the changes of commands.
    private var kept: KeptValue?
    /// The version that the value must have after commands of this client, and that is awaited.
    private(set) var required: CacheVersion?
    /// The place of the value's arrival in the order of loads and values.
    private(set) var arrival = 0
    private var outdatedLoad: Int?
    /// The last epoch whose invalidations were noted, or in which the load of the value began.
    private(set) var handledEpoch: Epoch
    private(set) var tags: [Tag]
    /// When the value was loaded last after an invalidation, as ``CacheCore/elapsed``.
    var lastReload: Duration?
    private var next = NextLoad.caused(by: LoadCauses())
    /// Whether the value will be loaded after a pause.
    var isReloadDelayed = false
    private let versionID: UInt64
    private var observers: [Int: Observer] = [:]
    private var lastObserver = 0

    init(_ layers: OptimisticLayers<Value>, isLoading: Bool, epoch: Epoch, tags: [Tag], versionID: UInt64) {
        self.versionID = versionID
        state = QueryState()
        state.isLoading = isLoading
        self.layers = layers
        handledEpoch = epoch
        self.tags = tags
    }

    var observerCount: Int { observers.count }

    /// Notes the loads that have caused the next one.
    mutating func noteCauses(_ causes: LoadCauses) { next = .caused(by: causes) }

    /// Returns the loads that have caused the one that begins.
    mutating func takeCauses() -> LoadCauses {
        defer { next = .caused(by: LoadCauses()) }
        return if case .caused(let causes) = next { causes } else { LoadCauses() }
    }

    /// Keeps the value as a stale one, which another load would only invalidate again.
    mutating func stop(_ cycle: CacheCycle) {
        next = .stopped(cycle)
        keepStale(cycle)
    }

    /// The error because of which the value is not loaded again by itself.
    var cycle: CacheCycle? {
        if case .stopped(let cycle) = next { cycle } else { nil }
    }

    /// Whether the value was invalidated before its load ended, so that no cache has it.
    var isOutdated: Bool { outdatedLoad != nil }

    /// The observer that has been there longest.
    var oldestObserver: Observer? { observers.min { $0.key < $1.key }?.value }

    mutating func add(_ observer: (_ id: Int) -> Observer) -> Int {
        lastObserver += 1
        let observer = observer(lastObserver)
        observers[lastObserver] = observer
        yield(to: observer)
        return lastObserver
    }

    mutating func remove(_ observer: Int) { observers[observer] = nil }

    /// Changes the state, and delivers it.
    ///
    /// The lock of the caller keeps the order.
    mutating func update(_ change: (inout QueryState<Value>) -> Void) {
        change(&state)
        for observer in observers.values { yield(to: observer) }
    }

    /// Delivers the state.
    ///
    /// An outdated value may lack what had been invalidated before the observer began, so it is not for passing on.
    private func yield(to observer: Observer) {
        var state = state
        if let outdatedLoad, outdatedLoad <= observer.lastLoad { state.isServable = false }
        observer.continuation.yield(state)
    }
}

// MARK: Values

/// Which of two values of one query is newer.
enum ValueOrder {
    case older, newer, unknown
}

extension Watch {
    /// Whether a value is newer than the shown one: by their versions, or because its exchange began later than the
    /// other one ended.
    ///
    /// - Parameters:
    ///   - source: The version of the cache that the value comes from.
    ///   - began: The place of the beginning of its load, or of the report before it.
    func order(of source: CacheVersion?, began: Int) -> ValueOrder {
        if let source, source.isOlder(than: self.source) { return .older }
        if let shown = self.source, shown.isOlder(than: source) { return .newer }
        return began >= arrival ? .newer : .unknown
    }

    /// Shows a loaded value with the changes of commands above it.
    ///
    /// - Parameter number: The place of its arrival.
    mutating func show(_ arrival: Arrival<Value>, at number: Int) {
        self.arrival = number
        (source, kept) = (arrival.source, arrival.kept)
        outdatedLoad = arrival.outdatedLoad
        layers.rebase(on: arrival.value, loadedIn: arrival.epoch, arrival.source)
        let shown = layers.value ?? arrival.value
        let isOptimistic = layers.areVisible(in: shown)
        let unchanged = unchanged
        let ownVersion = CacheVersion(cache: versionID, number: arrival.validEpoch ?? arrival.epoch)
        update { state in
            state.show(shown, arrival.loaded, arrival.freshness)
            state.kept = unchanged
            state.version = ownVersion
            state.isOptimistic = isOptimistic
            state.isLoading = arrival.isLoading
            state.error = arrival.error
        }
    }

    /// The entry of the value, if no changes of commands are above it.
    private var unchanged: KeptValue? { layers.isEmpty ? kept : nil }

    /// Shows a valid value of a load or a report.
    mutating func accept(_ arrival: Arrival<Value>, _ epoch: Epoch, _ tags: [Tag], at number: Int) {
        show(arrival, at: number)
        note(epoch, tags)
        isMarkedInvalid = false
        required = nil
    }

    /// Keeps the value as a stale one, because that of a load is not shown, or none is loaded.
    mutating func keepStale(_ error: (any Error)?) {
        update { state in
            state.error = error
            state.isLoading = false
            state.isStale = state.value != nil
        }
    }

    /// Shows the error of a load that was not invalidated.
    mutating func fail(_ error: any Error) {
        update { state in
            state.isLoading = false
            state.error = error
        }
        if layers.removeUncertain() { showChanges() }
    }

    /// Notes what a failed load has read, after whose change another one may succeed.
    mutating func noteFailure(_ epoch: Epoch, _ tags: [Tag], _ isInvalidated: InvalidationCheck) {
        if isInvalid(isInvalidated) { update { $0.isStale = $0.value != nil } }
        handledEpoch = max(handledEpoch, epoch)
        self.tags = self.tags.union(tags)
    }

    /// Notes the error that a load would end with now.
    mutating func note(_ error: any Error) { state.error = error }

    /// Notes how the value may be used now.
    mutating func note(_ freshness: Freshness) {
        state.isStale = state.value != nil && !freshness.isFresh
        state.isServable = freshness.isUsableWhileRevalidating
    }

    mutating func note(_ epoch: Epoch, _ tags: [Tag]) {
        handledEpoch = epoch
        self.tags = tags
    }

    /// Forgets the value, which new observers must not get, and those of the loads up to a number.
    mutating func removeValue(before load: Int) {
        arrival = load
        (source, kept, required, outdatedLoad) = (nil, nil, nil, nil)
        layers.removeBase()
        update { state in
            (state.value, state.kept, state.version) = (nil, nil, nil)
            state.isOptimistic = false
            state.loaded = nil
            state.isStale = false
            state.isServable = false
        }
    }
}

// MARK: Invalidating

extension Watch {
    func isInvalid(_ isInvalidated: InvalidationCheck) -> Bool {
        isMarkedInvalid || isInvalidated(handledEpoch, tags)
    }

    mutating func require(_ version: CacheVersion) { required.advance(to: version) }

    /// Whether the value contains what has led to a version.
    func includes(_ version: CacheVersion?) -> Bool { version.map { source?.includes($0) == true } ?? false }

    /// Notes that the value contains what has invalidated it.
    mutating func validate(at epoch: Epoch) {
        handledEpoch = epoch
        isMarkedInvalid = false
        // A stale value is being loaded for another reason.
        if !state.isStale { noteValid(in: epoch) }
    }

    /// Notes an epoch in which the value is valid, for those to whom it is passed on.
    mutating func noteValid(in epoch: Epoch) {
        let version = CacheVersion(cache: versionID, number: epoch)
        update { $0.version = version }
    }

    /// Notes that the value, which was reported last, is that of a later version, too.
    mutating func confirm(_ version: CacheVersion) { source = version }

    mutating func invalidate(at epoch: Epoch) {
        handledEpoch = epoch
        isMarkedInvalid = false
        let isOutdated = isOutdated
        update { state in
            state.isStale = state.value != nil
            state.error = nil
            // A slow observer may not have seen the newest value yet.
            state.isServable = isOutdated
        }
    }
}

// MARK: Changes of commands

extension Watch {
    /// Whether the value is missing or stale, or lacks changes of successful commands.
    var needsReload: Bool { state.value == nil || state.isStale || needsLoad }

    /// Whether changes of successful commands are shown that the value does not contain.
    var needsLoad: Bool { layers.areWaitingForLoad }

    /// Whether such changes would be left above a value; nil for the shown one.
    func needsLoad(after arrival: Arrival<Value>?) -> Bool {
        arrival.map { layers.wouldWait(forLoadAfter: $0.epoch, $0.source) } ?? needsLoad
    }

    mutating func add(_ layer: OptimisticLayers<Value>.Layer) {
        layers.add(layer)
        showChanges()
    }

    mutating func noteCommit(of id: Int, at epoch: Epoch) { layers.noteCommit(of: id, at: epoch) }

    mutating func removeLayer(_ id: Int) {
        guard layers.contains(id) else { return }
        layers.remove(id)
        showChanges()
    }

    /// Keeps the change of a successful command until a load contains it.
    ///
    /// - Parameters:
    ///   - isInvalidated: Whether the rules of the command make the value stale, so that it is loaded again. A change
    ///     of a value that stays fresh is dropped, or causes a load if it is visible.
    mutating func confirmLayer(_ id: Int, by success: CommandSuccess, isInvalidated: Bool) {
        guard layers.contains(id) else { return }
        guard isInvalidated || layers.isVisible(id) == true else { return removeLayer(id) }
        layers.confirm(id, by: success)
        if !isInvalidated { isMarkedInvalid = true }
    }

    private mutating func showChanges() {
        guard let value = layers.value else { return }
        let isOptimistic = layers.areVisible(in: value)
        guard isOptimistic != state.isOptimistic || state.value.flatMap({ areEqual($0, value) }) != true else { return }
        let unchanged = unchanged
        update { state in
            state.change(value)
            state.kept = unchanged
            state.isOptimistic = isOptimistic
        }
    }
}
