import Duet

/// The observers of one query's value.
struct Watch<Value: Sendable>: Sendable {
    /// One of the observers, with functions that run in its context and use its dispatcher.
    struct Observer: Sendable {
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
    /// The number of the last load whose value is known not to be newer than what is shown.
    var newestLoad = 0
    /// Whether the value was invalidated before its load ended, and is the newest one.
    private var isOutdated = false
    private(set) var epoch: Epoch
    private(set) var tags: [Tag]
    /// When the value was loaded last after an invalidation, as ``CacheCore/elapsed``.
    var lastReload: Duration?
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
        self.epoch = epoch
        self.tags = tags
    }

    var observerCount: Int { observers.count }

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
        if isOutdated, newestLoad <= observer.lastLoad { state.isServable = false }
        observer.continuation.yield(state)
    }

    /// Notes the end of a load that was not invalidated.
    mutating func finish(
        _ result: Result<Value, any Error>,
        _ epoch: Epoch,
        _ tags: [Tag],
        at loaded: Double,
        from stale: LoadChain.StaleValue? = nil,
        _ version: CacheVersion? = nil
    ) {
        switch result {
        case .success(let value):
            // A value made from a stale one is shown, as the stale one was.
            let freshness = Freshness(isFresh: stale == nil, isUsableWhileRevalidating: true)
            // It may lack the changes of successful commands.
            show(value, loaded, freshness, stale == nil ? epoch : 0, version, isLoading: false, after: stale?.error)
            note(epoch, tags)
            isMarkedInvalid = false
        case .failure(let error):
            update { state in
                state.isLoading = false
                state.error = error
            }
            if layers.removeUncertain() { showChanges() }
        }
    }

    /// Notes the end of a load that has invalidated itself.
    mutating func finish(
        _ result: Result<Value, any Error>,
        _ epoch: Epoch,
        at loaded: Double,
        invalidatedBy cycle: CacheCycle
    ) {
        guard case .success(let value) = result else { return finish(result, epoch, tags, at: loaded) }
        show(value, loaded, Freshness(), epoch, isLoading: false, after: cycle)
    }

    /// Shows a loaded value with the changes of commands above it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - loaded: The time of its load.
    ///   - freshness: How it may be used.
    ///   - epoch: The epoch in which its load began; zero if it may lack any change.
    ///   - version: The version with which it was reported.
    ///   - isLoading: Whether a newer value is expected.
    ///   - error: The error that it replaces.
    ///   - isOutdated: Whether the value was invalidated before its load ended, and is the newest one.
    mutating func show(
        _ value: Value,
        _ loaded: Double,
        _ freshness: Freshness,
        _ epoch: Epoch,
        _ version: CacheVersion? = nil,
        isLoading: Bool,
        after error: (any Error)? = nil,
        isOutdated: Bool = false
    ) {
        self.isOutdated = isOutdated
        layers.rebase(on: value, loadedIn: epoch, version)
        let shown = layers.value ?? value
        let isOptimistic = layers.areVisible(in: shown)
        let ownVersion = CacheVersion(cache: versionID, number: epoch)
        update { state in
            state.show(shown, loaded, freshness)
            state.version = ownVersion
            state.isOptimistic = isOptimistic
            state.isLoading = isLoading
            state.error = error
        }
    }

    /// Shows the value of a load that was invalidated before it ended, if it is newer than what is shown.
    ///
    /// A newer one is being loaded.
    mutating func showOutdated(_ value: Value, _ loaded: Double, _ number: Int, _ epoch: Epoch) {
        guard number > newestLoad else { return }
        newestLoad = number
        let freshness = Freshness(isFresh: false, isUsableWhileRevalidating: true)
        show(value, loaded, freshness, epoch, isLoading: true, isOutdated: true)
    }

    /// Notes the error that a load would end with now.
    mutating func note(_ error: any Error) { state.error = error }

    /// Notes how the value may be used now.
    mutating func note(_ freshness: Freshness) {
        state.isStale = state.value != nil && !freshness.isFresh
        state.isServable = freshness.isUsableWhileRevalidating
    }

    mutating func note(_ epoch: Epoch, _ tags: [Tag]) {
        self.epoch = epoch
        self.tags = tags
    }

    /// Forgets the value, which new observers must not get, and those of the loads up to a number.
    mutating func removeValue(before load: Int) {
        newestLoad = load
        isOutdated = false
        layers.removeBase()
        update { state in
            state.value = nil
            state.version = nil
            state.isOptimistic = false
            state.loaded = nil
            state.isStale = false
            state.isServable = false
        }
    }

    /// Notes that the value contains what has invalidated it.
    mutating func validate(at epoch: Epoch) {
        self.epoch = epoch
        isMarkedInvalid = false
        let version = CacheVersion(cache: versionID, number: epoch)
        update { $0.version = version }
    }

    mutating func invalidate(at epoch: Epoch) {
        self.epoch = epoch
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

    mutating func add(_ layer: OptimisticLayers<Value>.Layer) {
        layers.add(layer)
        showChanges()
    }

    mutating func removeLayer(_ id: Int) {
        guard layers.contains(id) else { return }
        layers.remove(id)
        showChanges()
    }

    /// Keeps the change of a successful command until a load contains it.
    ///
    /// - Parameters:
    ///   - id: The number of the change.
    ///   - epoch: The epoch in which the command had succeeded.
    ///   - isCertain: Whether the command has succeeded; otherwise a failed load ends the change, too.
    ///   - version: The version that the command has led to elsewhere.
    ///   - isInvalidated: Whether the rules of the command make the value stale, so that it is loaded again. A change
    ///     of a value that stays fresh is dropped, or causes a load if it is visible.
    mutating func confirmLayer(
        _ id: Int,
        at epoch: Epoch,
        _ isCertain: Bool,
        _ version: CacheVersion?,
        isInvalidated: Bool
    ) {
        guard layers.contains(id) else { return }
        guard isInvalidated || layers.isVisible(id) == true else { return removeLayer(id) }
        layers.confirm(id, at: epoch, isCertain, version)
        if !isInvalidated { isMarkedInvalid = true }
    }

    private mutating func showChanges() {
        guard let value = layers.value else { return }
        let isOptimistic = layers.areVisible(in: value)
        guard isOptimistic != state.isOptimistic || state.value.flatMap({ areEqual($0, value) }) != true else { return }
        update { state in
            state.change(value)
            state.isOptimistic = isOptimistic
        }
    }
}
