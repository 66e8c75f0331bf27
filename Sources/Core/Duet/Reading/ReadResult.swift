/// A query's value with its origin and its age.
public struct ReadResult<Value> {
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
    package let loaded: Double?

    /// Whether the value is older than its policy permits, or was invalidated, or made from a value that is stale.
    public let isStale: Bool

    /// The error of the failed load that this stale value, or a value that it was made from, replaces, or that of a
    /// load that invalidated itself; otherwise nil.
    public let error: (any Error)?

    /// Whether the value contains changes of commands that no load has confirmed yet.
    ///
    /// Only a read in a mode with ``ReadMode/includingUnconfirmed()`` returns such a value.
    public let isOptimistic: Bool

    package let version: CacheVersion?

    /// The entry of the value; nil if no cache keeps it.
    package var kept: KeptValue?

    package init(
        value: Value,
        origin: Origin = .loaded,
        age: Duration = .zero,
        loaded: Double? = nil,
        isStale: Bool = false,
        error: (any Error)? = nil,
        isOptimistic: Bool = false,
        version: CacheVersion? = nil
    ) {
        self.value = value
        self.origin = origin
        self.age = age
        self.loaded = loaded
        self.isStale = isStale
        self.error = error
        self.isOptimistic = isOptimistic
        self.version = version
    }

    /// This result with another value.
    ///
    /// - Parameters:
    ///   - isStale: Whether the value is stale; nil if that stays as it is.
    ///   - isOptimistic: Whether the value contains changes of commands; nil if that stays as it is.
    package func with<Other>(_ value: Other, isStale: Bool? = nil, isOptimistic: Bool? = nil) -> ReadResult<Other> {
        ReadResult<Other>(
            value: value,
            origin: .init(rawValue: origin.rawValue) ?? .loaded,
            age: age,
            loaded: loaded,
            isStale: isStale ?? self.isStale,
            error: error,
            isOptimistic: isOptimistic ?? self.isOptimistic,
            version: version
        )
    }
}

extension ReadResult: Sendable where Value: Sendable {}
