public import Foundation

/// The state of an observed query, with its value, its date, and the error of the last load.
public struct QueryState<Value> {
    /// The newest value, or nil before the first one and after ``QueryCache/removeAll()``.
    ///
    /// It contains the changes of ``OptimisticUpdate`` rules.
    public internal(set) var value: Value?

    /// When the value was loaded.
    public internal(set) var date: Date?

    /// The error of the last load, or nil after a successful one.
    public internal(set) var error: (any Error)?

    /// Whether a load is running.
    public internal(set) var isLoading = false

    /// Whether the value is older than its policy permits, or was invalidated.
    public internal(set) var isStale = false

    /// Whether the value contains changes of commands that are running, or that no load has confirmed yet.
    ///
    /// For a value that is not `Equatable`, this is also true if an ``OptimisticUpdate`` has left it as it was.
    public internal(set) var isOptimistic = false

    /// Whether the value may be returned to a reader that does not check for staleness.
    var isServable = false

    /// The number of values so far, with each change of a command.
    var generation = 0

    /// The number of loaded values so far.
    var loads = 0
}

extension QueryState: Sendable where Value: Sendable {}
