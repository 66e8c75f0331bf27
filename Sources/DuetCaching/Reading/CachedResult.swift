/// A query's value with its origin and its age.
public struct CachedResult<Value> {
    /// The source of a value.
    public enum Origin: String, Sendable, CaseIterable {
        /// The handler, called for this read or for a concurrent one.
        case loaded
        /// The memory of this process.
        case memory
        /// The store behind the memory.
        case store
    }

    /// The value.
    public let value: Value

    /// The source of the value.
    public let origin: Origin

    /// The time since the value was loaded.
    public let age: Duration

    /// When the value was loaded, in seconds since the reference date of `Date`; nil for a value that is not cached.
    let loaded: Double?

    /// Whether the value is older than its policy permits, or was invalidated, or made from a value that is stale.
    public let isStale: Bool

    /// The error of the failed load that this stale value, or a value that it was made from, replaces, or the
    /// ``CacheCycle`` of a load that invalidated itself; otherwise nil.
    public let error: (any Error)?

    func markedStale(if isOutdated: Bool) -> CachedResult {
        guard isOutdated, !isStale else { return self }
        return CachedResult(value: value, origin: origin, age: age, loaded: loaded, isStale: true, error: error)
    }

    init(
        value: Value,
        origin: Origin,
        age: Duration,
        loaded: Double?,
        isStale: Bool,
        error: (any Error)? = nil
    ) {
        self.value = value
        self.origin = origin
        self.age = age
        self.loaded = loaded
        self.isStale = isStale
        self.error = error
    }
}

extension CachedResult {
    /// Creates the result of a load that has just ended.
    init(loaded value: Value, at now: Double? = nil, isStale: Bool = false, error: (any Error)? = nil) {
        let isStale = isStale || error != nil
        self.init(value: value, origin: .loaded, age: .zero, loaded: now, isStale: isStale, error: error)
    }
}

extension CachedResult: Sendable where Value: Sendable {}
