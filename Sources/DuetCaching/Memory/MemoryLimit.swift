/// The size of the cache's memory.
public struct MemoryLimit: Sendable, Hashable {
    /// The largest total weight of the entries.
    let capacity: Int
    /// Whether each entry weighs 1.
    let countsEntries: Bool

    /// Limits the number of values.
    public static func entries(_ count: Int) -> MemoryLimit { MemoryLimit(capacity: count, countsEntries: true) }

    /// Limits the total weight of the values, usually their size in bytes.
    ///
    /// Each ``Cache`` rule then needs a `weight`.
    public static func weight(_ total: Int) -> MemoryLimit { MemoryLimit(capacity: total, countsEntries: false) }
}
