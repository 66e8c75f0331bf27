/// The memory in which a cache keeps its values, and the store behind it.
public struct CacheMemory: Sendable {
    let limit: MemoryLimit
    private(set) var store: StoreSettings?

    /// Keeps values in the memory of this process.
    ///
    /// When the memory is full, values that are seldom read make room for others.
    ///
    /// - Parameter limit: The number or the total weight of the values.
    public static func memory(limit: MemoryLimit) -> CacheMemory { CacheMemory(limit: limit) }

    /// Puts a store behind the memory, for the values of rules with ``Cache/stored(version:)``.
    ///
    /// A store that fails or hangs never fails a query, because the handler loads the value instead. This process does
    /// not return a value as fresh that the store could not mark as stale, but the next process may.
    ///
    /// - Parameters:
    ///   - store: Keeps encoded values.
    ///   - timeout: The longest time that a read, a command or a removal waits for the store.
    ///   - onError: Receives each failure of the store, for a log.
    public func backed(
        by store: any CacheStore,
        timeout: Duration = .seconds(1),
        onError: @escaping @Sendable (CacheStoreFailure) -> Void = { _ in }
    ) -> CacheMemory {
        var memory = self
        memory.store = StoreSettings(store: store, timeout: timeout, onError: onError)
        return memory
    }
}

/// The size of the cache's memory.
public struct MemoryLimit: Sendable, Hashable {
    let capacity: Int
    /// Whether each entry weighs 1.
    let countsEntries: Bool
    /// The total size of the forms of values, in bytes, if entries are counted.
    var forms = 0

    /// Limits the number of values.
    ///
    /// - Parameters:
    ///   - count: The number of values.
    ///   - encoded: The total size, in bytes, of the contents of responses that a server keeps beside the values.
    public static func entries(_ count: Int, encoded: Int = 33_554_432) -> MemoryLimit {
        MemoryLimit(capacity: count, countsEntries: true, forms: encoded)
    }

    /// Limits the total weight of the values, usually their size in bytes.
    ///
    /// Each ``Cache`` rule then needs a `weight`. The contents of responses that a server keeps beside a value add
    /// their size in bytes.
    public static func weight(_ total: Int) -> MemoryLimit { MemoryLimit(capacity: total, countsEntries: false) }
}

struct StoreSettings {
    let store: any CacheStore
    let timeout: Duration
    let onError: @Sendable (CacheStoreFailure) -> Void
}

/// A failure of the store behind a cache, which fails no query.
public struct CacheStoreFailure: Error, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case reading
        case storing
        /// The cache marked values as stale, or removed them.
        case marking
        /// The cache made the change of a command in stale values.
        case updating
        /// The cache removed all values.
        case removing
        /// The cache removed values that can no longer be served.
        case expiring
    }

    package let operation: Operation

    package let query: String?

    /// The error of the store, or nil if it took too long.
    public let underlying: (any Error)?

    /// Whether the store has noted a removal, so that the next launch carries it out before it uses the store.
    public let isNoted: Bool

    /// The failed operation and the reason.
    public var description: String {
        let reason = underlying.map { "\($0)" } ?? "it took too long"
        let subject = query.map { "of \($0) " } ?? ""
        return switch operation {
        case .reading: "A value \(subject)could not be read from the cache's store, and is loaded: \(reason)"
        case .storing: "A value \(subject)was not kept in the cache's store: \(reason)"
        case .marking:
            """
            Stale values \(subject)were not marked in the cache's store yet, and may be fresh after a restart. \
            flush() tries again: \(reason)
            """
        case .updating:
            "The change of a command to stale values \(subject)is not in the cache's store: \(reason)"
        case .removing where isNoted:
            "The values were not removed from the cache's store yet. The next launch removes them first: \(reason)"
        case .removing:
            """
            The values were not removed from the cache's store, and the next launch may return them. Remove them again, \
            or delete the store: \(reason)
            """
        case .expiring: "Expired values were not removed from the cache's store: \(reason)"
        }
    }
}
