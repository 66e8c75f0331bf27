/// Where a cache keeps its values.
public struct CacheMemory: Sendable {
    let limit: MemoryLimit
    let policy: any EvictionPolicy.Type

    /// Keeps values in the memory of this process.
    ///
    /// - Parameters:
    ///   - limit: The number or the total weight of the values.
    ///   - policy: Chooses the values that make room for others.
    public static func memory(
        limit: MemoryLimit,
        evicting policy: any EvictionPolicy.Type = S3FIFOPolicy.self
    ) -> CacheMemory {
        CacheMemory(limit: limit, policy: policy)
    }
}
