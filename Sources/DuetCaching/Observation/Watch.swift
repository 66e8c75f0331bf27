/// The observers of one query's value.
struct Watch<Value: Sendable>: Sendable {
    typealias Continuation = AsyncStream<QueryState<Value>>.Continuation

    private(set) var state: QueryState<Value>
    var isMarkedInvalid = false
    private(set) var epoch: Epoch
    private(set) var tags: [Tag]
    /// Loads the value again, unless a load is running.
    let refresh: @Sendable () -> Void
    private var observers: [Int: Continuation] = [:]
    private var lastObserver = 0

    init(_ state: QueryState<Value>, epoch: Epoch, tags: [Tag], refresh: @escaping @Sendable () -> Void) {
        self.state = state
        self.epoch = epoch
        self.tags = tags
        self.refresh = refresh
    }

    var observerCount: Int { observers.count }

    mutating func add(_ observer: Continuation) -> Int {
        lastObserver += 1
        observers[lastObserver] = observer
        observer.yield(state)
        return lastObserver
    }

    mutating func remove(_ observer: Int) { observers[observer] = nil }

    /// Changes the state, and delivers it.
    ///
    /// The lock of the caller keeps the order.
    mutating func update(_ change: (inout QueryState<Value>) -> Void) {
        change(&state)
        for observer in observers.values { observer.yield(state) }
    }

    /// Notes the end of a load that was not invalidated.
    mutating func finish(_ result: Result<Value, any Error>, _ epoch: Epoch, _ tags: [Tag], at loaded: Double) {
        update { state in
            state.isLoading = false
            switch result {
            case .success(let value): state.show(value, loaded, .fresh)
            case .failure(let error):
                state.error = error
            }
        }
        guard case .success = result else { return }
        note(epoch, tags)
        isMarkedInvalid = false
    }

    /// Notes how the value may be used now.
    mutating func note(_ freshness: Freshness) {
        state.isStale = state.value != nil && !freshness.isFresh
        state.isServable = freshness.isUsableWhileRevalidating
    }

    mutating func note(_ epoch: Epoch, _ tags: [Tag]) {
        self.epoch = epoch
        self.tags = tags
    }

    /// Forgets the value, which new observers must not get.
    mutating func removeValue() {
        update { state in
            state.value = nil
            state.date = nil
            state.isStale = false
            state.isServable = false
        }
    }

    mutating func invalidate(at epoch: Epoch) {
        self.epoch = epoch
        isMarkedInvalid = false
        update { state in
            state.isStale = state.value != nil
            state.error = nil
            state.isServable = false
        }
    }
}
