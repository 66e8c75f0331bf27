/// A change of a query's value, or of the connection that reports it, for those who pass values on.
package enum QueryUpdate<Value> {
    /// The value.
    case value(Value)

    /// The value has not changed since the last one, and its changes are reported again after a failure.
    case unchanged

    /// The value could not be loaded, or its changes are not reported at the moment. The last value may be stale.
    case failure(any Error)
}

extension QueryUpdate: Sendable where Value: Sendable {}

/// The changes among the states of a query.
package struct QueryUpdates<Value: Sendable> {
    private var states: QueryStates<Value>.AsyncIterator
    private var generation = 0
    private var hasFailed = false

    package init(_ states: QueryStates<Value>) {
        self.states = states.makeAsyncIterator()
    }

    /// Returns the next change, or nil after the last one.
    package mutating func next() async -> QueryUpdate<Value>? {
        while let state = await states.next() {
            if let value = state.value, state.isServable || state.error != nil, state.generation != generation {
                generation = state.generation
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
                switch await next() {
                case .value(let value): state.show(value)
                case .unchanged: state.recover()
                case .failure(let error): state.fail(error)
                case nil: return nil
                }
                return state
            }
        }
    }
}
