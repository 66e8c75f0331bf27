extension Dispatcher {
    /// Returns the states of a query's value, first the current one, then one for each change.
    ///
    /// ```swift
    /// for await state in dispatcher.observe(ListNotes(folder: "home")) {
    ///     show(state.value, isLoading: state.isLoading, error: state.error)
    /// }
    /// ```
    ///
    /// A cache loads the value if it is missing or stale, and again after each invalidation. Every layer of this
    /// dispatcher sees each value, as it would that of a dispatch.
    ///
    /// If no layer reports changes of the query, there is one state, with the error ``UnobservableQuery``.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - interval: The time after which the value is loaded repeatedly, at least a millisecond; nil for never.
    ///   - clock: Measures the interval.
    public func observe<Q: Query>(
        _ query: Q,
        refreshingEvery interval: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> QueryStates<Q.Value> where Q.Value: Sendable {
        guard let states = updates(of: query) else { return QueryStates(failure: UnobservableQuery(Q.self)) }
        guard let interval = interval.map({ max($0, .milliseconds(1)) }) else { return states }
        return QueryStates {
            var iterator = states.makeAsyncIterator()
            let timer = TaskHolder(
                Task {
                    while true {
                        try await clock.sleep(for: interval)
                        // Its outcome is a state.
                        _ = try? await read(query, .fresh)
                    }
                }
            )
            return {
                defer { withExtendedLifetime(timer) {} }
                return await iterator.next()
            }
        }
    }
}

/// Cancels a task when it is released.
private final class TaskHolder: Sendable {
    private let task: Task<Void, any Error>

    init(_ task: Task<Void, any Error>) {
        self.task = task
    }

    deinit { task.cancel() }
}

/// The error of a query whose changes no layer of the dispatcher reports.
public struct UnobservableQuery: Error, Hashable, CustomStringConvertible {
    package let query: String

    private let type: String

    package init<Q: Query>(_ query: Q.Type) {
        self.query = Q.messageName
        type = "\(query)"
    }

    /// The query, and what is missing.
    public var description: String {
        """
        \(query) cannot be observed, because no layer of the dispatcher reports its changes. Add \
        Cache(\(type).self, …) to a cache, or .live() to its route.
        """
    }
}
