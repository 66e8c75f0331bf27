/// A change of a query's value, or of the connection that reports it, for those who pass values on.
package enum QueryUpdate<Value> {
    case value(Value)

    /// The value has not changed since the last one, and its changes are reported again after a failure.
    case unchanged

    /// The last value is that of a later version, too.
    case confirmed

    /// The value could not be loaded, or its changes are not reported now. The last value may be stale.
    case failure(any Error)
}

extension QueryUpdate: Sendable where Value: Sendable {}

/// The changes among the states of a query.
package struct QueryUpdates<Value: Sendable> {
    private var states: QueryStates<Value>.AsyncIterator
    private var generation = 0
    private var hasFailed = false

    /// The version of the cache that the last value comes from; nil if it comes from none.
    package private(set) var version: CacheVersion?

    package init(_ states: QueryStates<Value>) {
        self.states = states.makeAsyncIterator()
    }

    package mutating func next() async -> QueryUpdate<Value>? {
        while let state = await states.next() {
            if let value = state.value, state.isServable || state.error != nil, state.generation != generation {
                (generation, version) = (state.generation, state.version)
                if state.error == nil { hasFailed = false }
                return .value(value)
            }
            if let error = state.error {
                if hasFailed { continue }
                hasFailed = true
                return .failure(error)
            }
            if hasFailed, !state.isLoading {
                hasFailed = false
                return .unchanged
            }
            if state.generation == generation, state.version != version {
                version = state.version
                return .confirmed
            }
        }
        return nil
    }
}

extension QueryStates {
    /// Creates the states of a value from its changes.
    ///
    /// - Parameter begin: Begins an iteration, and returns the function that waits for the next change.
    package init(updates begin: @escaping @Sendable () -> () async -> QueryUpdate<Value>?) {
        self.init {
            let next = begin()
            var state = QueryState<Value>()
            return {
                guard let update = await next() else { return nil }
                state.apply(update)
                return state
            }
        }
    }
}

extension QueryState {
    package mutating func apply(_ update: QueryUpdate<Value>) {
        switch update {
        case .value(let value): show(value)
        case .unchanged: recover()
        case .confirmed: break
        case .failure(let error): fail(error)
        }
    }
}
