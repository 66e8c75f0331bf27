/// Chooses the entry that makes room for another one.
///
/// A policy sees numbers, not values. The cache gives each entry an ID that no other entry has at that time, and that is small, so
/// that a policy can use arrays.
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
    ///   - weight: The weight of the entry, at least 1.
    mutating func insert(_ id: Int, hash: Int, weight: Int)

    /// Removes an entry that was deleted or replaced.
    mutating func remove(_ id: Int)

    /// Chooses an entry and removes it.
    ///
    /// - Parameter uses: Returns how often an entry was read since this was asked last, 3 for more.
    /// - Returns: The ID of the entry; nil if there is none.
    mutating func evict(uses: (_ id: Int) -> Int) -> Int?

    /// Notes that an entry was read, if ``needsEveryUse``.
    mutating func use(_ id: Int)

    /// Whether ``use(_:)`` is called for each read, in order. Reads then take turns, which is slower.
    static var needsEveryUse: Bool { get }
}

extension EvictionPolicy {
    /// False: the policy asks for uses when it evicts.
    public static var needsEveryUse: Bool { false }

    /// Does nothing.
    public mutating func use(_ id: Int) {}
}
