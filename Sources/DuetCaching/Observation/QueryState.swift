public import Foundation

/// What is known about an observed query's value.
public struct QueryState<Value> {
    /// The newest value; nil before the first one was loaded, and after ``QueryCache/removeAll()``.
    public internal(set) var value: Value?

    /// When the value was loaded.
    public internal(set) var date: Date?

    /// Why the last load failed; nil after a successful one.
    public internal(set) var error: (any Error)?

    /// Whether a load is running.
    public internal(set) var isLoading = false

    /// Whether the value is older than its policy permits, or was invalidated.
    public internal(set) var isStale = false

    /// Whether the value may be returned without the note that it is stale.
    var isServable = false

    /// The number of values so far.
    var generation = 0
}

extension QueryState: Sendable where Value: Sendable {}
