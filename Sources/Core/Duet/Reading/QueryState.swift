/// The state of an observed query: its value, and the error of the last load.
///
/// A custom dispatcher that reports changes begins with an empty state, and changes it with ``show(_:)`` and
/// ``fail(_:)``.
public struct QueryState<Value> {
    /// The newest value, or nil before the first one, and after a cache has removed its values.
    ///
    /// It contains the changes that commands make before they have ended.
    public package(set) var value: Value?

    /// The error of the last load, or nil after a successful one.
    ///
    /// The value may then be stale, and its changes may not be reported now.
    public package(set) var error: (any Error)?

    /// Whether a load is running.
    public package(set) var isLoading = false

    /// Whether the value was older than its policy permits when it was read or loaded, or was invalidated since.
    public package(set) var isStale = false

    /// Whether the value contains changes of commands that are running, or that no load has confirmed yet.
    ///
    /// For a value that is not `Equatable`, this is also true if a change has left it as it was.
    public package(set) var isOptimistic = false

    /// When the value was loaded, in seconds since the reference date of `Date`; nil if that is not known.
    package var loaded: Double?

    /// Whether the value is worth passing on to readers that do not check for staleness.
    ///
    /// It is fresh, its policy permits to use it while it is loaded again, or it is the newest value that was loaded
    /// although commands have made it stale meanwhile.
    public package(set) var isServable = false

    /// The number of values so far, with each change of a command.
    package var generation = 0

    package var loads = 0

    /// The version of the cache that the value comes from; nil if it comes from none.
    package var version: CacheVersion?

    /// The cached value; nil if no cache keeps it, or changes of commands are above it.
    package var kept: KeptValue?

    /// Creates the state before the first load.
    public init() {}

    /// Shows a new value.
    public mutating func show(_ value: Value) {
        change(value)
        loads += 1
        error = nil
        isLoading = false
        isStale = false
        isServable = true
    }

    /// Shows the error of a load, and keeps the last value.
    public mutating func fail(_ error: any Error) {
        self.error = error
        isLoading = false
    }

    /// Notes that the last value is still the current one, and that its changes are reported again after a failure.
    package mutating func recover() { error = nil }

    /// Shows a value that differs from the loaded one.
    package mutating func change(_ value: Value) {
        self.value = value
        kept = nil
        generation += 1
    }
}

extension QueryState: Sendable where Value: Sendable {}

extension QueryState {
    /// Whether a load has failed since another state.
    func isNewFailure(after other: QueryState) -> Bool {
        error != nil && (other.error == nil || other.isLoading && !isLoading)
    }

    func with<Other>(_ value: Other?) -> QueryState<Other> {
        var state = QueryState<Other>()
        state.value = value
        state.error = error
        (state.isLoading, state.isStale, state.isOptimistic) = (isLoading, isStale, isOptimistic)
        (state.loaded, state.isServable) = (loaded, isServable)
        (state.generation, state.loads, state.version) = (generation, loads, version)
        return state
    }
}
