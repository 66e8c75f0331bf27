/// A query's value with its origin and its age.
public struct CachedResult<Value> {
    /// Where a value came from.
    public enum Origin: String, Sendable, CaseIterable {
        /// The handler, for this request or for another one that asked at the same time.
        case loaded
        /// The memory of this process.
        case memory
        /// The store behind the memory.
        case store
    }

    /// The value.
    public let value: Value

    /// Where the value came from.
    public let origin: Origin

    /// The time since the value was loaded; zero for a value that was just loaded.
    public let age: Duration

    /// Whether the value is older than its policy permits, or was invalidated.
    public let isStale: Bool

    /// Why the value could not be loaded, if a stale one is returned instead.
    public let error: (any Error)?

    func markedStale(if isOutdated: Bool) -> CachedResult {
        guard isOutdated, !isStale else { return self }
        return CachedResult(value: value, origin: origin, age: age, isStale: true, error: error)
    }

    init(value: Value, origin: Origin, age: Duration, isStale: Bool, error: (any Error)? = nil) {
        self.value = value
        self.origin = origin
        self.age = age
        self.isStale = isStale
        self.error = error
    }
}

extension CachedResult: Sendable where Value: Sendable {}
