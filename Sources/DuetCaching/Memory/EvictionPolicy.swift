/// Chooses the entry that makes room for another one.
///
/// A policy sees numbers, not values. The cache gives each entry an ID that no other entry has at that time. IDs are
/// small, so a policy can use them as indices of arrays.
public protocol EvictionPolicy: Sendable {
    /// Creates a policy.
    ///
    /// - Parameter capacity: The total weight that fits; the number of entries if each weighs 1.
    init(capacity: Int)

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - id: The entry's ID.
    ///   - hash: The hash of its key, by which a policy recognizes an entry that it has evicted.
    ///   - weight: The weight of the entry, from 1 to the capacity.
    mutating func insert(_ id: Int, hash: Int, weight: Int)

    /// Removes an entry that was deleted or replaced.
    mutating func remove(_ id: Int)

    /// Notes that an entry was read.
    ///
    /// The cache reports most reads before the next insertion, roughly in order. It drops reports rather than delay a
    /// read. ``evict(uses:)`` receives the dropped ones.
    ///
    /// - Parameters:
    ///   - id: The entry's ID.
    ///   - count: The number of reads since the last report, from 1 to 3; 3 for more.
    mutating func use(_ id: Int, count: Int)

    /// Chooses an entry and removes it.
    ///
    /// - Parameter uses: Returns the number of reads of an entry since its last report or the last call; 3 for more.
    /// - Returns: The ID of the entry, or nil from an empty policy.
    mutating func evict(uses: (_ id: Int) -> Int) -> Int?
}
