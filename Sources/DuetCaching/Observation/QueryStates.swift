/// The states of a query's value, first the current one, then one for each change.
public struct QueryStates<Value: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: AsyncStream<QueryState<Value>>.Iterator

        /// Returns the next state, or nil when the task is canceled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> QueryState<Value>? {
            await iterator.next(isolation: actor)
        }
    }

    private let start: @Sendable () -> AsyncStream<QueryState<Value>>

    init(_ start: @escaping @Sendable () -> AsyncStream<QueryState<Value>>) {
        self.start = start
    }

    /// Creates a sequence of one state with an error.
    init(failure: any Error) {
        start = {
            let (stream, continuation) = AsyncStream.makeStream(of: QueryState<Value>.self)
            var state = QueryState<Value>()
            state.error = failure
            continuation.yield(state)
            continuation.finish()
            return stream
        }
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: start().makeAsyncIterator()) }
}

/// The values of a query, first the current one, then each that differs from the one before.
public struct QueryValues<Value: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: QueryStates<Value>.AsyncIterator
        private var last: Value?
        private var lastGeneration = 0
        private var lastLoad = 0

        init(_ states: QueryStates<Value>.AsyncIterator) {
            self.states = states
        }

        /// Returns the next value that differs from the last one, or nil when the task is canceled.
        ///
        /// - Throws: The error of the first load.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            while let state = await states.next(isolation: actor) {
                // A command may change a value that this observer has, even if it was invalidated.
                guard let value = state.value, state.isServable || state.error != nil || state.loads == lastLoad else {
                    guard last == nil, let error = state.error else { continue }
                    throw error
                }
                guard state.generation != lastGeneration else { continue }
                lastGeneration = state.generation
                lastLoad = state.loads
                if let last, areEqual(last, value) == true { continue }
                last = value
                return value
            }
            return nil
        }
    }

    private let states: QueryStates<Value>

    init(_ states: QueryStates<Value>) {
        self.states = states
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(states.makeAsyncIterator()) }
}

/// Whether two values are equal; nil for values that cannot be compared.
func areEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool? {
    func isEqual<E: Equatable>(_ lhs: E) -> Bool { (rhs as? E) == lhs }
    guard let lhs = lhs as? any Equatable else { return nil }
    return isEqual(lhs)
}
