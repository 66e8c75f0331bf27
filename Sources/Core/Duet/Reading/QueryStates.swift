/// The states of a query's value, first the current one, then one for each change.
///
/// A slow reader skips to the newest state. The sequence ends when its task is canceled, and when changes are no longer
/// reported.
public struct QueryStates<Value: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let read: () async -> QueryState<Value>?

        /// Returns the next state, or nil after the last one.
        public mutating func next() async -> QueryState<Value>? { await read() }
    }

    private let begin: @Sendable () -> () async -> QueryState<Value>?

    /// Creates a sequence.
    ///
    /// - Parameter begin: Begins an iteration, and returns the function that waits for the next state.
    public init(_ begin: @escaping @Sendable () -> () async -> QueryState<Value>?) {
        self.begin = begin
    }

    package init(failure: any Error) {
        self.init {
            var error: (any Error)? = failure
            return {
                error.take().map { error in
                    var state = QueryState<Value>()
                    state.fail(error)
                    return state
                }
            }
        }
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: begin()) }

    /// The values, first the current one, then each that differs from the one before.
    ///
    /// ```swift
    /// for try await notes in dispatcher.observe(ListNotes(folder: "home")).values {
    ///     print("The screen shows \(notes).")
    ///     if notes.contains("Eggs") { break }
    ///     try await dispatcher.dispatch(AddNote(folder: "home", text: "Eggs"))
    /// }
    /// ```
    ///
    /// The sequence fails if no first value can be loaded, and if the observation ends with an error. Other failures
    /// leave the last value.
    public var values: QueryValues<Value> { QueryValues(states: self) }
}

extension QueryStates {
    /// Returns the same states with converted values; a value that cannot be converted is a failure.
    public func map<Other: Sendable>(_ convert: @escaping @Sendable (Value) throws -> Other) -> QueryStates<Other> {
        converting { value, _ in try convert(value) }
    }

    /// Returns the same states with what a closure makes of each value, or of the cached value.
    package func converting<Other: Sendable>(
        _ convert: @escaping @Sendable (Value, KeptValue?) async throws -> Other
    ) -> QueryStates<Other> {
        QueryStates<Other> {
            var states = makeAsyncIterator()
            var generation = 0
            var last: Other?
            var failure: (any Error)?
            return {
                guard let state = await states.next() else { return nil }
                if state.generation != generation, let value = state.value {
                    generation = state.generation
                    failure = nil
                    do { last = try await convert(value, state.kept) } catch { failure = error }
                }
                var converted = state.with(state.value == nil ? nil : last)
                if let failure { converted.fail(failure) }
                return converted
            }
        }
    }

    /// Returns the states with what a closure makes of each outcome, a value or the error of a load.
    ///
    /// The closure returns a value as it is, unless a layer around the dispatcher may change values: see
    /// ``Dispatcher/keepsValues(of:)``. If it throws for a value, its error is the last state. A value that it returns
    /// for an error is shown if there is no other.
    package func passing(
        _ convert: @escaping @Sendable (Result<Value, any Error>) async throws -> Value
    ) -> QueryStates {
        QueryStates {
            var states = makeAsyncIterator()
            /// The last state that was received, and the last one that was returned.
            var (received, shown) = (QueryState<Value>(), QueryState<Value>())
            var hasEnded = false
            return {
                guard !hasEnded, let state = await states.next() else { return nil }
                defer { received = state }
                var next = state.with(shown.value)
                (next.generation, next.kept) = (shown.generation, shown.kept)
                next.error = state.error == nil ? nil : shown.error
                do {
                    if let value = state.value, state.generation != received.generation || shown.value == nil {
                        next.change(try await convert(.success(value)))
                        next.kept = state.kept
                    }
                    if let error = state.error, state.isNewFailure(after: received) {
                        await next.replace(error, hasValue: state.value != nil) { try await convert(.failure($0)) }
                    }
                } catch {
                    hasEnded = true
                    if Task.isCancelled { return nil }
                    next.fail(error)
                }
                if state.value == nil, next.error != nil || state.error == nil { next.value = nil }
                shown = next
                return next
            }
        }
    }

    /// Returns the same states with converted errors.
    public func mapErrors(_ convert: @escaping @Sendable (any Error) -> any Error) -> QueryStates {
        QueryStates {
            var states = makeAsyncIterator()
            return {
                guard var state = await states.next() else { return nil }
                state.error = state.error.map(convert)
                return state
            }
        }
    }
}

extension QueryState {
    /// Shows the error that a closure throws for another one, or the value that it returns if there is none.
    fileprivate mutating func replace(
        _ failure: any Error,
        hasValue: Bool,
        _ convert: (any Error) async throws -> Value
    ) async {
        error = failure
        do {
            let replacement = try await convert(failure)
            if !hasValue { show(replacement) }
        } catch {
            self.error = error
        }
    }
}

/// The values of a query, first the current one, then each that differs from the one before.
public struct QueryValues<Value: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: QueryStates<Value>.AsyncIterator
        private var last: Value?
        private var lastGeneration = 0
        private var lastLoad = 0
        private var error: (any Error)?

        init(_ states: QueryStates<Value>.AsyncIterator) {
            self.states = states
        }

        /// Returns the next value that differs from the last one, or nil after the last one.
        ///
        /// - Throws: The error of the first load, or of the end.
        public mutating func next() async throws -> Value? {
            while let state = await states.next() {
                error = state.error
                // A command may change a value that this observer has, even if it was invalidated.
                guard let value = state.value, state.isServable || state.error != nil || state.loads == lastLoad else {
                    guard last == nil, let error = error.take() else { continue }
                    throw error
                }
                guard state.generation != lastGeneration else { continue }
                lastGeneration = state.generation
                lastLoad = state.loads
                if let last, areEqual(last, value) == true { continue }
                last = value
                return value
            }
            if let error = error.take(), !Task.isCancelled { throw error }
            return nil
        }
    }

    fileprivate let states: QueryStates<Value>

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(states.makeAsyncIterator()) }
}

/// Whether two values are equal; nil for values that cannot be compared.
package func areEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool? {
    func isEqual<E: Equatable>(_ lhs: E) -> Bool { (rhs as? E) == lhs }
    guard let lhs = lhs as? any Equatable else { return nil }
    return isEqual(lhs)
}
